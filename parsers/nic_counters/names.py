"""Names that the tools print, and ours."""

import tomli
from pathlib import Path
from typing import Any

NAMES: dict[str, dict[str, Any]] = tomli.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))

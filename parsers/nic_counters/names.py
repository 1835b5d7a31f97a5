"""Names that the tools print, and ours."""

import tomllib
from pathlib import Path
from typing import Any

NAMES: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))

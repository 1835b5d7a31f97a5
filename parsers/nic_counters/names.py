"""Names that the tools print, and ours."""

from pathlib import Path
from typing import Any

import tomli

NAMES: dict[str, dict[str, Any]] = tomli.loads((Path(__file__).parent / "names.toml").read_text("utf-8"))

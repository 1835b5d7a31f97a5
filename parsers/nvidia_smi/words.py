"""Words that nvidia-smi prints where a value belongs, in its queries and in its reports, and which fields count."""

import re

MISSING = frozenset(
    {
        *("", "-", "n/a", "[n/a]", "not supported", "[not supported]", "not available", "[not available]", "unknown"),
        *("[function not found]", "[insufficient permissions]", "[not found]", "[unknown]"),
        "[requested functionality has been deprecated]",
    }
)
FAULT = re.compile(r"(?i)^(?:\[?(?:unknown error|gpu is lost|gpu requires reset|gpu access blocked)[^\]]*\]?|\[?err!\]?)$")
WORDS = {"active": 1.0, "not active": 0.0, "yes": 1.0, "no": 0.0, "enabled": 1.0, "disabled": 0.0}
GOOD_STATES = frozenset({"none", "default", "completed", "success", "healthy", "not supported", "n/a", "hmm", "ats"})
COUNTERS = re.compile(
    r"ecc\.errors\.(?!.*thresh)|retired_pages\.\w+\.count|remapped_rows\.(?:un)?correctable$|clocks_event_reasons_counters\.|pcie\.replay"
)


def mode_of(name: str) -> str:
    """Whether a field counts since some beginning or shows what is now."""
    return "counter" if COUNTERS.match(name) else "gauge"

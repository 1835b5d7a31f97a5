"""What a banner or a path says of a snapshot: when it was taken, whether before or after the job, and on which host."""

import re
from functools import lru_cache

from ncclscope import reading

from .devices import NETDEV, RDMA

PROMPT = re.compile(r"^\[?\w[\w-]*@([A-Za-z0-9][\w-]*)")
TIME = re.compile(
    r"(?:[A-Z][a-z]{2} )?(?:[A-Z][a-z]{2} [ 0-9]?[0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?(?: [A-Z]{3,4}| [+-]\d{2,4})? 20[0-9]{2})"
    r"|(?:[A-Z][a-z]{2} )?[0-9]{1,2} [A-Z][a-z]{2} 20[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}(?: [AP]M)?(?: [A-Z]{3,4}| [+-]\d{2,4})?"
    r"|20[0-9]{2}[-/][0-9]{2}[-/][0-9]{2}[T _][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z| ?[+-][0-9]{2}:?[0-9]{2})?"
    r"|20[0-9]{6}[T_-][0-9]{6}|\b1[4-9][0-9]{8}(?:\.[0-9]+)?\b"
)
LABEL = re.compile(
    r"(?i)(?:^|[^a-z0-9])(before|pre|start|begin|after|post|end|final|t(\d{1,3})|snap(?:shot)?[ _#-]?(\d{1,4}))(?=$|[^a-z0-9])"
)
FIRST = ("before", "pre", "start", "begin")
HOST = re.compile(r"(?i)\b(?:host(?:name)?|node|server)\s*[=:]\s*([A-Za-z0-9][\w-]*)|\b(?:before|after|pre|post)[ -]job ([A-Za-z][\w-]*)")
HOST_WORD = re.compile(r"^[A-Za-z][A-Za-z-]*[A-Za-z0-9-]*\d[\w-]*$")
NOT_HOSTS = re.compile(rf"(?i)^(?:{RDMA}|{NETDEV}|(?:port|lid|step|run|job|gpu|mt|x)\d*|ipv[46]|ib_\w+|ibdev2netdev)$")


def label(found: re.Match[str]) -> tuple[str, str]:
    """`before` or `after` and a number to sort by."""
    word = found[1].lower()
    number = found[2] or found[3]
    if number is not None:
        return ("before" if int(number) == 0 else "after") if found[2] else "", number
    return ("before", "0") if word in FIRST else ("after", "1")


def label_of_path(path: str) -> tuple[str, str | None]:
    """The same from the name of a file, else from the directories above it; a number or time in the name only sorts."""
    folders, _, name = path.rpartition("/")
    if found := list(LABEL.finditer(name)):
        return label(found[-1])
    for folder in reversed(folders.split("/")):
        if match := re.fullmatch(r"(?i)(before|after|t(\d{1,3})|snap(?:shot)?[ _#-]?(\d{1,4}))", folder):
            return label(match)
    if match := re.search(r"20[0-9]{6}[T_-]?[0-9]{4,6}|1[4-9][0-9]{8}", name):
        return "", re.sub(r"\D", "", match[0])
    match = re.search(r"[._-](\d{1,6})(?:\.[a-z]+)?$", name)
    return "", match[1] if match else None


@lru_cache(maxsize=4096)
def when(text: str) -> reading.Time:
    """Time and clock of a time string."""
    # `date` in a locale with a twelve-hour clock, and times as file names have them.
    if found := re.match(r"^(.*) (\d\d)(:\d\d:\d\d) ([AP])M(.*)$", text):
        text = f"{found[1]} {int(found[2]) % 12 + 12 * (found[4] == 'P'):02}{found[3]}{found[5]}"
    text = re.sub(r"^(20\d{6})[T_-](\d\d)(\d\d)(\d\d)$", r"\1 \2:\3:\4", text).replace("_", " ")
    return reading.when(text)


def host_of(text: str, body: str, stamp: re.Match[str] | None) -> str | None:
    """The host that a banner names: in a prompt, behind a word for it, or as the only word that looks like one."""
    if found := PROMPT.match(text):
        return found[1]
    if found := HOST.search(body):
        return (found[1] or found[2]).split(".")[0]
    if stamp is None and not LABEL.search(body):
        return None
    rest = body.replace(stamp[0], " ") if stamp else body
    words = [word.strip("()[],:@").split(".")[0] for word in rest.split()]
    likely = [word for word in words if HOST_WORD.match(word) and not NOT_HOSTS.match(word) and not LABEL.match(word)]
    return likely[0] if len(likely) == 1 else None

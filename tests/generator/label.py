"""What is right to say about a case, in the words of `expect.json`."""

from dataclasses import dataclass, field
from typing import Any

from tests.generator.job import Gpu, Host, Job, Nic, Rank

FOUND = ["cause_found", "suspect"]


@dataclass
class Label:
    """The answer. `level`: the finest level that must be named, or None."""

    kinds: list[str]
    why: str
    status: list[str] = field(default_factory=lambda: list(FOUND))
    level: str | None = None
    hosts: list[str] = field(default_factory=list)
    ranks: list[str] = field(default_factory=list)
    gpus: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)

    def host(self, job: Job, *hosts: Host) -> "Label":
        """Hosts that may be named, and all their ranks."""
        for one in hosts:
            self.hosts += [one.name, one.address, one.pod]
            self.ranks += [str(r.rank) for r in job.on(one)]
        return self

    def rank(self, *ranks: Rank) -> "Label":
        """Ranks that may be named, and their hosts."""
        for one in ranks:
            self.ranks.append(str(one.rank))
            self.hosts += [one.host.name, one.host.address, one.host.pod]
        return self

    def gpu(self, job: Job, host: Host, *gpus: Gpu) -> "Label":
        """GPUs that may be named, with the ranks that use them and the host."""
        for one in gpus:
            self.gpus += [f"{host.name}:{one.index}", f"{host.pod}:{one.index}", f"0000:{one.bus}:00.0", one.uuid]
            self.aliases.append(one.serial)
            self.ranks += [str(r.rank) for r in job.on(host) if r.local == one.index]
        self.hosts += [host.name, host.address, host.pod]
        return self

    def device(self, job: Job, host: Host, nic: Nic) -> "Label":
        """A port that may be named, with its host and the ranks beside it."""
        names = [nic.name, f"{nic.name}:1", nic.netdev, f"0000:{nic.bus}:00.0"]
        self.devices += names + [f"{host.name}/{name}" for name in names] + [f"{host.pod}/{name}" for name in names]
        self.hosts += [host.name, host.address, host.pod]
        self.ranks += [str(r.rank) for r in job.on(host) if r.nic is nic]
        return self

    def as_dict(self) -> dict[str, Any]:
        """The members of `expect.json`."""
        culprit = {"hosts": self.hosts, "ranks": self.ranks, "gpus": self.gpus, "devices": self.devices}
        out: dict[str, Any] = {
            "status": self.status,
            "kinds": self.kinds,
            "culprit": {level: list(dict.fromkeys(names)) for level, names in culprit.items()},
            "level": self.level,
            "why": self.why,
        }
        return out | ({"silent": self.silent} if self.silent else {}) | ({"aliases": self.aliases} if self.aliases else {})

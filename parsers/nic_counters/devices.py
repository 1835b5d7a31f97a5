"""Names of devices. Kernel and rdma-core name RDMA devices after driver or PCI place, netdevs after firmware or place."""

import re

RDMA = (
    r"(?:mlx[45]_(?:bond_)?\w+|bnxt_re\w+|irdma\d+|i40iw\d+|rocep\w+|rdmap\w+|efa_\d+|erdma_\d+|hns_\d+|qedr\d+|hfi1_\d+"
    r"|mana_\d+|ionic_\d+|siw\w+|rxe\w+)"
)
NETDEV = r"(?:en[opsxP]\w+|eth\d+(?:\.\d+)?|ib(?:\d+|s\d\w*|p\d+s\w+)|bond\d+|rdma\d+|p\d+p\d+|gpu\d+rail\w*|rail\d+\w*|hsn\d+|slot\d+\w*)"
BUS = r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F]"
RDMA_WORD = re.compile(rf"(?:^|[^\w.-])({RDMA})(?:/(\d+)|:(\d+))?(?=$|[^\w.-])")
NETDEV_WORD = re.compile(rf"(?:^|[^\w.-])({NETDEV})(?=$|[^\w.-])")
BUS_WORD = re.compile(rf"(?:^|\s|\(|\[)({BUS})(?=$|\s|\)|\]|,)")


def device_of_path(path: str) -> str | None:
    """The one device that a path names: ethtool_ens1f0_before.txt, mlx5_0/ports."""
    words = [word for word in re.split(r"[/.-]|_(?!\d)", path) if word]
    found = {word for word in words if re.fullmatch(rf"{RDMA}|{NETDEV}", word)}
    return found.pop() if len(found) == 1 else None

"""Names that the tools print, and ours."""

from typing import Final

# perfquery's names as sysfs has them, and the value at which a field of the classic query stops counting.
PERFQUERY: Final[dict[str, tuple[str, int]]] = {
    "SymbolErrorCounter": ("symbol_error", 65535),
    "LinkErrorRecoveryCounter": ("link_error_recovery", 255),
    "LinkDownedCounter": ("link_downed", 255),
    "PortRcvErrors": ("port_rcv_errors", 65535),
    "PortRcvRemotePhysicalErrors": ("port_rcv_remote_physical_errors", 65535),
    "PortRcvSwitchRelayErrors": ("port_rcv_switch_relay_errors", 65535),
    "PortXmitDiscards": ("port_xmit_discards", 65535),
    "PortXmitConstraintErrors": ("port_xmit_constraint_errors", 255),
    "PortRcvConstraintErrors": ("port_rcv_constraint_errors", 255),
    "LocalLinkIntegrityErrors": ("local_link_integrity_errors", 15),
    "ExcessiveBufferOverrunErrors": ("excessive_buffer_overrun_errors", 15),
    "VL15Dropped": ("VL15_dropped", 65535),
    "QP1Dropped": ("QP1Dropped", 65535),
    "PortXmitData": ("port_xmit_data", 4294967295),
    "PortRcvData": ("port_rcv_data", 4294967295),
    "PortXmitPkts": ("port_xmit_packets", 4294967295),
    "PortRcvPkts": ("port_rcv_packets", 4294967295),
    "PortXmitWait": ("port_xmit_wait", 4294967295),
    "PortUnicastXmitPkts": ("unicast_xmit_packets", 0),
    "PortUnicastRcvPkts": ("unicast_rcv_packets", 0),
    "PortMulticastXmitPkts": ("multicast_xmit_packets", 0),
    "PortMulticastRcvPkts": ("multicast_rcv_packets", 0),
}

# Keys of ibstat, ibv_devinfo and ethtool's settings, in lower case: the state of a port ...
PORT: Final[dict[str, str]] = {
    "state": "state",
    "physical state": "physical_state",
    "phys state": "physical_state",
    "phys_state": "physical_state",
    "rate": "rate",
    "speed": "rate",
    "link detected": "state",
    "mii status": "state",
    "link layer": "link_layer",
    "link_layer": "link_layer",
    "base lid": "lid",
    "port_lid": "lid",
    "sm lid": "sm_lid",
    "sm_lid": "sm_lid",
    "active_mtu": "mtu",
    "active_width": "width",
    "active_speed": "rate",
    "port guid": "guid",
}

# ... and what stands above its ports and holds for all.
ADAPTER: Final[dict[str, str]] = {
    "ca type": "type",
    "firmware version": "firmware",
    "fw_ver": "firmware",
    "node guid": "node_guid",
}

# Keys of mlxlink: counters ...
MLXLINK_COUNTERS: Final[dict[str, str]] = {
    "effective physical ber": "mlxlink.effective_ber",
    "symbol ber": "mlxlink.symbol_ber",
    "raw physical ber": "mlxlink.raw_ber",
    "effective physical errors": "mlxlink.effective_errors",
    "symbol errors": "mlxlink.symbol_errors",
    "link down counter": "mlxlink.link_down",
    "link error recovery counter": "mlxlink.link_error_recovery",
    "time since last clear [min]": "mlxlink.since_clear_min",
}

# ... and the state of the port.
MLXLINK_STATE: Final[dict[str, str]] = {
    "state": "state",
    "physical state": "physical_state",
    "speed": "rate",
    "width": "width",
    "recommendation": "recommendation",
}

"""Names of the fields of a query: what they begin with, their units, and older names."""

from typing import Final

# The first word of every field name; a header consists of such names.
STEMS: Final = frozenset((
    "timestamp", "driver_version", "count", "name", "serial", "uuid", "pci", "index", "vbios_version", "inforom", "hostname",
    "platform", "pcie", "display_mode", "display_attached", "display_active", "persistence_mode", "addressing_mode",
    "accounting", "driver_model", "gpu_recovery_action", "gom", "compute_mode", "compute_cap", "mig", "gsp", "c2c",
    "dramEncryption", "ecc", "fan", "pstate", "clocks_event_reasons", "clocks_event_reasons_counters", "memory",
    "protected_memory", "utilization", "encoder", "retired_pages", "remapped_rows", "temperature", "power", "enforced",
    "module", "power_smoothing", "edpp_multiplier", "clocks", "fabric", "pid", "process_name", "used_gpu_memory", "used_memory",
    "gpu_util", "mem_util", "max_memory_usage", "vgpu_driver_capability", "vgpu_device_capability",
))  # fmt: skip

# Units of fields whose header names none.
UNITS: Final[dict[str, str]] = {
    "temperature.gpu": "C",
    "temperature.gpu.tlimit": "C",
    "temperature.memory": "C",
}

# Older and shorter names of fields. nvidia-smi prints the left ones only from old drivers or in other people's headers.
ALIASES: Final[dict[str, str]] = {
    "gpu_name": "name",
    "gpu_serial": "serial",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "clocks.gr": "clocks.current.graphics",
    "clocks.sm": "clocks.current.sm",
    "clocks.mem": "clocks.current.memory",
    "clocks.video": "clocks.current.video",
    "pcie.link.gen.gpucurrent": "pcie.link.gen.current",
    "retired_pages.sbe": "retired_pages.single_bit_ecc.count",
    "retired_pages.dbe": "retired_pages.double_bit.count",
    "time": "timestamp",
    "date": "timestamp",
    "gpu": "index",
    "host": "hostname",
    "node": "hostname",
}

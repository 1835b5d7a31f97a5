"""What `nvidia-smi -q`, dmon and pmon call values, and what the CSV query calls them."""

from typing import Final

# `nvidia-smi -q`: section and key, in lower case.
QUERY: Final[dict[str, str]] = {
    "temperature/gpu current temp": "temperature.gpu",
    "temperature/gpu t.limit temp": "temperature.gpu.tlimit",
    "temperature/memory current temp": "temperature.memory",
    "temperature/gpu slowdown temp": "temperature.gpu.slowdown",
    "temperature/gpu shutdown temp": "temperature.gpu.shutdown",
    "temperature/gpu max operating temp": "temperature.gpu.max_operating",
    "power readings/power draw": "power.draw",
    "power readings/average power draw": "power.draw.average",
    "power readings/instantaneous power draw": "power.draw.instant",
    "power readings/power limit": "power.limit",
    "power readings/current power limit": "power.limit",
    "power readings/enforced power limit": "enforced.power.limit",
    "power readings/default power limit": "power.default_limit",
    "power readings/min power limit": "power.min_limit",
    "power readings/max power limit": "power.max_limit",
    "clocks/graphics": "clocks.current.graphics",
    "clocks/sm": "clocks.current.sm",
    "clocks/memory": "clocks.current.memory",
    "clocks/video": "clocks.current.video",
    "max clocks/graphics": "clocks.max.graphics",
    "max clocks/sm": "clocks.max.sm",
    "max clocks/memory": "clocks.max.memory",
    "applications clocks/graphics": "clocks.applications.graphics",
    "applications clocks/memory": "clocks.applications.memory",
    "fb memory usage/total": "memory.total",
    "fb memory usage/reserved": "memory.reserved",
    "fb memory usage/used": "memory.used",
    "fb memory usage/free": "memory.free",
    "utilization/gpu": "utilization.gpu",
    "utilization/memory": "utilization.memory",
    "pci/replays since reset": "pcie.replay.counter",
    "pci/replay number rollovers": "pcie.replay.rollovers",
    "pci/link width current": "pcie.link.width.current",
    "link width/current": "pcie.link.width.current",
    "link width/max": "pcie.link.width.max",
    "pcie generation/current": "pcie.link.gen.current",
    "pcie generation/max": "pcie.link.gen.max",
    "remapped rows/correctable error": "remapped_rows.correctable",
    "remapped rows/uncorrectable error": "remapped_rows.uncorrectable",
    "remapped rows/pending": "remapped_rows.pending",
    "remapped rows/remapping failure occurred": "remapped_rows.failure",
    "retired pages/single bit ecc": "retired_pages.single_bit_ecc.count",
    "retired pages/double bit ecc": "retired_pages.double_bit.count",
    "retired pages/pending page blacklist": "retired_pages.pending",
    "/performance state": "pstate",
    "/persistence mode": "persistence_mode",
    "mig mode/current": "mig.mode.current",
    "ecc mode/current": "ecc.mode.current",
}

# Clocks Event Reasons.
REASONS: Final[dict[str, str]] = {
    "idle": "gpu_idle",
    "applications clocks setting": "applications_clocks_setting",
    "sw power cap": "sw_power_cap",
    "hw slowdown": "hw_slowdown",
    "hw thermal slowdown": "hw_thermal_slowdown",
    "hw power brake slowdown": "hw_power_brake_slowdown",
    "sync boost": "sync_boost",
    "sw thermal slowdown": "sw_thermal_slowdown",
    "display clock setting": "display_clock_setting",
}

# Clocks Event Reasons Counters.
COUNTED: Final[dict[str, str]] = {
    "sw power capping": "sw_power_cap",
    "sync boost": "sync_boost",
    "sw thermal slowdown": "sw_thermal_slowdown",
    "hw thermal slowdown": "hw_thermal_slowdown",
    "hw power braking": "hw_power_brake_slowdown",
}

# ECC Errors below Volatile and Aggregate, whose name stands for {}.
ECC: Final[dict[str, str]] = {
    "sram correctable": "corrected.{}.sram",
    "sram uncorrectable": "uncorrected.{}.sram",
    "sram uncorrectable parity": "uncorrected.{}.sram.parity",
    "sram uncorrectable sec-ded": "uncorrected.{}.sram.secded",
    "sram threshold exceeded": "uncorrected.{}.sram.thresholdExceeded",
    "dram correctable": "corrected.{}.dram",
    "dram uncorrectable": "uncorrected.{}.dram",
}

# Values that are words.
STATES: Final[dict[str, str]] = {
    "/gpu recovery action": "gpu_recovery_action",
    "reset status/reset required": "reset_required",
    "reset status/drain and reset recommended": "drain_and_reset_recommended",
    "fabric/state": "fabric.state",
    "fabric/status": "fabric.status",
}

# Headings of dmon and pmon: metric and unit.
MONITOR: Final[dict[str, tuple[str, str]]] = {
    "pwr": ("power.draw", "W"),
    "temp": ("temperature.gpu", "C"),
    "gtemp": ("temperature.gpu", "C"),
    "mtemp": ("temperature.memory", "C"),
    "sm": ("utilization.gpu", "%"),
    "mem": ("utilization.memory", "%"),
    "enc": ("utilization.encoder", "%"),
    "dec": ("utilization.decoder", "%"),
    "jpg": ("utilization.jpeg", "%"),
    "ofa": ("utilization.ofa", "%"),
    "mclk": ("clocks.current.memory", "MHz"),
    "pclk": ("clocks.current.sm", "MHz"),
    "pviol": ("violation.power", "%"),
    "tviol": ("violation.thermal", ""),
    "fb": ("memory.used", "MB"),
    "bar1": ("memory.bar1.used", "MB"),
    "ccpm": ("protected_memory.used", "MB"),
    "sbecc": ("ecc.errors.corrected.aggregate.total", ""),
    "dbecc": ("ecc.errors.uncorrected.aggregate.total", ""),
    "pci": ("pcie.replay.counter", ""),
    "rxpci": ("pcie.rx", "MB/s"),
    "txpci": ("pcie.tx", "MB/s"),
}

"""ncclscope: a forensics analyzer for distributed GPU training."""

__version__ = "0.1.0"

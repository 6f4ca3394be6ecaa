"""Lorekeep's engine: loads models, generates, embeds - whatever needs tensors, and nothing else."""

__version__ = "0.1.0"

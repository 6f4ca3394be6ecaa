"""Lorekeep's engine: loads models, generates and embeds. It holds all tensor code of the product and nothing
else."""

__version__ = "0.1.0"

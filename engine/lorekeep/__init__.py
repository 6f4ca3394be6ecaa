"""Lorekeep's engine: loads models, generates, embeds - whatever needs tensors, and nothing else."""

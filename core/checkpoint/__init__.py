"""Checkpoints: a model as files."""

"""Talking to a running server: streaming, statistics, conversations."""

"""Conversations in one SQLite file."""

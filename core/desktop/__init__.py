"""Stowage in the user's application menu."""

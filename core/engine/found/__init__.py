"""Flags and files that people find in articles: read, explained, and turned into options of the installed build."""

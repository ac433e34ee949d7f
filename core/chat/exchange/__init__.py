"""Conversations as files: Stowage's JSON, Markdown, and the exports of others. Pure but for `reading` and `writing`."""

"""The page "Chat"."""

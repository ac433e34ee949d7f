"""The page "Settings"."""

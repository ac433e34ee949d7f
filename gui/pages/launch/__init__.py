"""The page "Launch"."""

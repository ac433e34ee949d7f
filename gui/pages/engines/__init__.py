"""The page "Engines"."""

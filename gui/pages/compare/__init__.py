"""The page that compares two launches."""

"""The options that are chosen seldom."""

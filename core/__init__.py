"""The whole of Stowage without a window. Never imports Qt or `gui`."""

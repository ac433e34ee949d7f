"""The plan: pure functions from checkpoint, hardware, engine and options to bytes per tier, command and speed."""

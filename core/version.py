"""The version, read by the build, the CLI and the About line."""

__version__ = "0.1.0"

"""The command line: the whole product in a terminal. One file per command."""

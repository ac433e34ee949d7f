"""What launches have taught: each one's options, phases, figures and end, kept in one SQLite file."""

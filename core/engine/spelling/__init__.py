"""From wishes to the flags and variables of one build. Pure: a file per kind of wish."""

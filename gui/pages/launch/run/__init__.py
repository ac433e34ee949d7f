"""A launch under way, its server, its failure: the parts of the Launch page after the click."""

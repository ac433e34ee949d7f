"""Hand-painted and shared widgets."""

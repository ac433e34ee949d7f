"""Programs that an engine's own Python runs by path; the app imports none of them."""

"""Every cause of a failed launch that is known by its words: one table per area, see `cause.Cause`."""

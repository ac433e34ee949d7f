"""Downloads: a queue, a worker process per model, files that are whole and verified when they have their name."""

"""Two launches of one model compared: run one after the other, measured alike, told with their scatter."""

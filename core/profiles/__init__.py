"""What a person launched a model with and wants again: the last good launch, named presets, files to hand on."""

"""Measures, on request, what no driver tells: how fast RAM, the disk and the way to the GPU really are."""

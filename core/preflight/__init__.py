"""What would make a launch fail, found in less than a second and before anything heavy begins."""

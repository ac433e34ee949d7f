"""From what the product knows of this computer, its engines and models to a plan of the next launch."""

"""What `dev.py` does. Standard library only, and readable by Python 3.9: it runs before anything is installed."""

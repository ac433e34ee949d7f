"""The program that fetches one model. Standard library only, and little of it: it is to stay below 80 MB."""

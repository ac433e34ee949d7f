"""The shared Hugging Face cache: what lies in it, whether it is whole, and how to delete, mend and move it."""

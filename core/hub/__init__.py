"""The Hugging Face Hub: search, details, download, the shared cache, the account."""

"""What tests share: finding survivors, and the real engine in the user's cache."""

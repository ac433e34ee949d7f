"""The window. Sits on `core`; opens no sockets and starts no processes."""

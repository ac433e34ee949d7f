"""The budget panel: who holds the memory of each GPU, the RAM and the disks, and what a plan would take."""

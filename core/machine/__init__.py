"""What this computer has and who uses it: GPUs, RAM, disks, links. Reads only; never changes a setting, never imports
Qt."""

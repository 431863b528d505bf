"""What a rig gains after fitting: the hands' fingers now; other small parts can follow the same way."""

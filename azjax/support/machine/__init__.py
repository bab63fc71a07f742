"""The machine: its processor, cores, memory and devices."""

"""Configuration: presets, preset files, flags, grids of numbers."""

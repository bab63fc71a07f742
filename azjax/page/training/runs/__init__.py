"""The runs below the folder of runs: their state, settings and metrics, read as they go on."""

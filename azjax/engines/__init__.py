"""Programs and formats of others: GTP engines as players, azjax as a GTP engine, SGF files."""

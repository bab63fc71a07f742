"""`azjax train`: its options, the folders of its runs, and what it prints."""

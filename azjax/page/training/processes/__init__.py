"""The processes that train: what may be started, their logs, and how they are stopped."""

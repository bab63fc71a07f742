"""The page of `azjax serve`: play against an agent, watch training, replay a run's evolution.

Each view is a package: pure functions that return what is shown, and `view.py`, which shows it. No
view imports another. All JAX work runs in the threads of `worker.py`, so that the event loop, which
serves every browser, never waits for it.
"""

"""The page of `azjax serve`: play against an agent, watch training, replay a run's evolution.

Each view is a package, or one file: its model knows no NiceGUI, and `view.py` lays it out. No view
imports another. All JAX work runs in the threads of `worker.py`, so that the event loop, which
serves every browser, never waits for it.
"""

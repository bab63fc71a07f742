"""`python -m azjax` is the command line too."""

from azjax.cli import main

if __name__ == "__main__":
    main()

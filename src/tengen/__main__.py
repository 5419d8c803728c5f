"""`python -m tengen` is the command `tengen`."""

from tengen.cli.main import entry

if __name__ == "__main__":
    entry()

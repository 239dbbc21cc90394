"""``python -m myodyne`` is the command ``myodyne``."""

from myodyne.cli.main import run

if __name__ == "__main__":
    run()

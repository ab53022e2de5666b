"""``python -m vlmexplain``: the command line."""

import sys

from vlmexplain.cli import main

if __name__ == "__main__":
    sys.exit(main())

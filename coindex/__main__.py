"""The command `coindex`: python -m coindex."""

import sys

from coindex.command_line import main

if __name__ == "__main__":
    sys.exit(main())

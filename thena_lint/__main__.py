"""`python -m thena_lint`: the same as `thena-lint`."""

import sys

from thena_lint.cli import main

sys.exit(main())

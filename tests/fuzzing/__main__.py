"""``scripts/fuzz``."""

import sys

from fuzzing.trying import main

sys.exit(main(sys.argv[1:]))

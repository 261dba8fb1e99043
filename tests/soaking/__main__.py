"""``scripts/soak``."""

import sys

from soaking.soak import main

sys.exit(main(sys.argv[1:]))

"""Speed and memory, measured beside other people's programs. Run ``python -m benchmarks.peers`` in
the root of the repository.

Speeds are those of kernels that are compiled for one game, unless a benchmark or
``HIDDENHAND_TIER`` says otherwise.
"""

import os

os.environ.setdefault("HIDDENHAND_TIER", "specialised")

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""Commands find this package as bytecode, as they do for users."""

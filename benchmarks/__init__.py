"""Speed and memory, measured beside other people's programs. Run ``python -m benchmarks.peers`` in
the root of the repository.
"""

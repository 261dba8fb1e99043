"""Studies of how strong and how exploitable the searches are. Each is a program that keeps its
results in ``studies/results``. Speed is measured in ``benchmarks``.

Run ``python -m studies.NAME`` in the root of the repository; README.md beside this file lists them.
"""

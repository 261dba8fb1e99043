"""The documentation site: what `make docs` runs. See `docs.site.build`."""

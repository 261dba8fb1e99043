# Hiddenhand: everything starts with `make demo` or `make test`. PYTHON chooses the interpreter that
# .venv is made from.
PYTHON ?= python3

.PHONY: demo test bench lock clean

demo: .venv/installed
	.venv/bin/hiddenhand demo

test: .venv/installed
	scripts/check

bench: .venv/installed .venv/installed-peers
	.venv/bin/python -m benchmarks.peers
	.venv/bin/python -m benchmarks.pursuit

lock: .venv/installed
	scripts/lock

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache

# The stamps remember what was installed: a second run installs nothing.
.venv/installed: requirements.lock pyproject.toml scripts/install
	PYTHON="$(PYTHON)" scripts/install requirements.lock
	touch $@

.venv/installed-peers: requirements-peers.lock .venv/installed
	PYTHON="$(PYTHON)" scripts/install requirements-peers.lock
	touch $@

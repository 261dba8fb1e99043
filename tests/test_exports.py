"""The public names: one sorted list, all there, and nothing beside them."""

import types

import hiddenhand


def test_all_is_sorted() -> None:
    assert list(hiddenhand.__all__) == sorted(set(hiddenhand.__all__))


def test_every_name_resolves() -> None:
    missing = [name for name in hiddenhand.__all__ if not hasattr(hiddenhand, name)]
    assert missing == []


def test_no_other_name_leaks() -> None:
    """Modules of the package appear as its attributes once imported; anything else that is public
    must be in the list.
    """
    names = [
        name
        for name in dir(hiddenhand)
        if not name.startswith("_") and name not in hiddenhand.__all__
    ]
    leaks = [name for name in names if not is_own_module(getattr(hiddenhand, name))]
    assert leaks == []


def is_own_module(value: object) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.startswith("hiddenhand.")

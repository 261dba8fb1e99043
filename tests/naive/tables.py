"""Tables of searches as dictionaries."""

from hiddenhand.jit.infoset_table import InformationSetTable, num_sets


def rows(table: InformationSetTable) -> dict[int, list[float]]:
    """From the key of an information set to its row of numbers."""
    return {
        int(table.keys[r]): table.values[table.starts[r] : table.starts[r + 1]].tolist()
        for r in range(num_sets(table))
    }

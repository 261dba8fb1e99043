"""How good a strategy is, exactly or within bounds, in games too large to be written out."""

"""Games in which all moves are public and only hands are hidden, solved for all hands at once.

exploring: finds the situations of a game, and whether it is of this kind
merging: hands that are alike from here on
public_game: the situations as flat arrays, and what is paid, as few numbers
walking: one pass over the public tree, for all hands
measuring: walks over all of it, and what strategies earn
vector_cfr: CFR and its variants in vector form
vector_mccfr: the same by sampling
strategies: strategies of the game in vector form, and back
subgames: what comes from one public history on, made safe
following: where a match is on the public tree
"""

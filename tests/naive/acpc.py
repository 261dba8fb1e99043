"""The competition's deals, slowly: its generator and its deck, written out from their definitions.

The generator is the MT19937 of Matsumoto and Nishimura (1998): 624 words of 32 bits, seeded by
Knuth's recurrence, each output tempered. Nothing of NumPy is used.
"""

from collections.abc import Iterator

_WORD = 0xFFFFFFFF


def mersenne_twister(seed: int) -> Iterator[int]:
    """The outputs of the generator, 32 bits each."""
    words = [seed & _WORD]
    for index in range(1, 624):
        words.append((1812433253 * (words[index - 1] ^ words[index - 1] >> 30) + index) & _WORD)
    while True:
        for k in range(624):
            y = words[k] & 0x80000000 | words[(k + 1) % 624] & 0x7FFFFFFF
            words[k] = words[(k + 397) % 624] ^ y >> 1 ^ (0x9908B0DF if y & 1 else 0)
        for y in words:
            y ^= y >> 11
            y ^= y << 7 & 0x9D2C5680
            y ^= y << 15 & 0xEFC60000
            yield y ^ y >> 18


def deals(seed: int, players: int, held: int, on_board: int) -> Iterator[tuple[list[str], str]]:
    """For each hand the hole cards of each position, and the board, as text."""
    outputs = mersenne_twister(seed)
    while True:
        deck = [f"{rank}{suit}" for suit in "cdhs" for rank in "23456789TJQKA"]
        dealt = []
        for left in range(52, 52 - players * held - on_board, -1):
            place = next(outputs) % left
            dealt.append(deck[place])
            deck[place] = deck[left - 1]
        holes = ["".join(dealt[held * p : held * (p + 1)]) for p in range(players)]
        yield holes, "".join(dealt[players * held :])

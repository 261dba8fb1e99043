"""The protocol of the Annual Computer Poker Competition, version 2.0.0: a client that seats any
player at the competition's dealer, a dealer, and the competition's match logs.

Source: the competition's server (2011), `game.c`, `dealer.c` and `protocol.pdf`. Words that it
uses, and that this package uses as it does:

- A *seat* is a place at the table. A player keeps a seat for a whole match.
- A *position* is a place in a hand, counted from 0; blinds and first moves belong to positions. In
  hand number h of a match with N players, the seat is (position + h) mod N.

The modules `cards` and `betting` know the rules in plain Python, from a game definition alone.
`states` reads and writes lines, and `connection` moves them through sockets. `observation_tracker`
makes of a state what a player of ours notices, and `client` plays a match with that player.
`dealer` is the other end of the connection. `logs` and `results` are for matches that are over.
"""

"""Files as the exporter of OpenSpiel writes them, for games of ours: decimal probabilities of 16
digits, nodes named by their moves, information sets without names, payoffs as decimals.
"""

from hiddenhand.games.base import CHANCE, Game
from hiddenhand.games.history import History
from hiddenhand.games.turn_based import as_sequential


def as_openspiel_writes(game: Game) -> str:
    rules = as_sequential(game)
    players = " ".join(f'"Pl{player}"' for player in range(rules.num_players))
    lines, numbers = [f'EFG 2 R "{game}" {{ {players} }} '], dict[tuple[int, int], int]()
    ends = drawn = 0
    stack = [(History(rules), "", 0)]
    while stack:
        history, name, depth = stack.pop()
        begin = " " * depth
        if history.is_terminal:
            ends += 1
            paid = " ".join(f"{payoff}" for payoff in history.returns())
            lines.append(f'{begin}t "{name}" {ends} "" {{ {paid} }}')
            continue
        if history.player == CHANCE:
            drawn += 1
            moves = [move for move, _ in history.chance_outcomes()]
            outcomes = [f'"Deal:{move}" {p:.16f}' for move, p in history.chance_outcomes()]
            lines.append(f'{begin}c "{name}" {drawn} "" {{ {" ".join(outcomes)}  }} 0')
        else:
            player, moves = history.player, history.legal_actions()
            own = sum(1 for who, _ in numbers if who == player)
            number = numbers.setdefault((player, history.information_key), own + 1)
            actions = " ".join(
                f'"{rules.action_name(history.state, player, move)}"' for move in moves
            )
            lines.append(f'{begin}p "{name}" {player + 1} {number} "" {{ {actions}  }} 0')
        stack += [(history.child(move), f"{name} {move}", depth + 1) for move in reversed(moves)]
    return "\n".join(lines) + "\n"

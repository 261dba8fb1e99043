// A player at random around the competition's own rules and lines, as dealer.cc beside this file.
//
//   player GAME HOST PORT SEED
//
// prints how many hands it has seen to their end. It fails for a state that the competition's code
// cannot read.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "game.h"
#include "net.h"
#include "rng.h"

using namespace project_acpc_server;

int main(int argc, char **argv) {
  if (argc != 5) return EXIT_FAILURE;
  FILE *file = fopen(argv[1], "r");
  Game *game = file == NULL ? NULL : readGame(file);
  int dealer = game == NULL ? -1 : connectTo(argv[2], atoi(argv[3]));
  if (dealer < 0) return EXIT_FAILURE;
  rng_state_t generator;
  init_genrand(&generator, strtoul(argv[4], NULL, 10));
  ReadBuf *buffer = createReadBuf(dealer);
  char line[MAX_LINE_LEN] = "VERSION:2.0.0\n";
  if (write(dealer, line, strlen(line)) < 0) return EXIT_FAILURE;
  long hands = 0;
  while (getLine(buffer, MAX_LINE_LEN - 4, line, -1) > 0) {
    if (line[0] == '#' || line[0] == ';') continue;
    MatchState state;
    int length = readMatchState(line, game, &state);
    if (length < 0) return EXIT_FAILURE;
    if (stateFinished(&state.state)) {
      ++hands;
      continue;
    }
    if (currentPlayer(game, &state.state) != state.viewingPlayer) continue;
    Action action;
    do {
      action.type = (ActionType)(genrand_int32(&generator) % NUM_ACTION_TYPES);
      action.size = 0;
    } while (!isValidAction(game, &state.state, 0, &action));
    line[length++] = ':';
    length += printAction(game, &action, 2, &line[length]);
    line[length++] = '\r';
    line[length++] = '\n';
    if (write(dealer, line, length) != length) return EXIT_FAILURE;
  }
  printf("%ld\n", hands);
  return EXIT_SUCCESS;
}

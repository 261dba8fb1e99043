// A dealer around the competition's own rules, deals and lines: the code of its server, game.cc,
// net.cc and rng.cc, does all that can be right or wrong. What is here is the loop around it, as
// dealer.c of that server has it: tell all seats, read an answer, act on it.
//
//   dealer GAME HANDS SEED
//
// prints the ports on a line, then the log without comments. Standard error has a line that begins
// with WARNING for every answer that the server would have warned of.

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "game.h"
#include "net.h"
#include "rng.h"

using namespace project_acpc_server;

static const int64_t TIMEOUT = 60000000;  // microseconds for an answer

static int trimmed(char *line, int length) {  // without the zeros at the end of a number
  while (line[length - 1] == '0') --length;
  if (line[length - 1] == '.') --length;
  line[length] = 0;
  return length;
}

static void fail(const char *what) {
  fprintf(stderr, "ERROR: %s\n", what);
  exit(EXIT_FAILURE);
}

struct Table {
  Game *game;
  int seats, fd[MAX_PLAYERS];
  ReadBuf *buffer[MAX_PLAYERS];

  void tell(MatchState *state, int first) {
    char line[MAX_LINE_LEN];
    for (int seat = 0; seat < seats; ++seat) {
      state->viewingPlayer = (seat + seats - first) % seats;
      int length = printMatchState(game, state, MAX_LINE_LEN - 2, line);
      line[length++] = '\r';
      line[length++] = '\n';
      if (write(fd[seat], line, length) != length) fail("cannot send");
    }
  }

  Action ask(MatchState *state, int first) {
    char line[MAX_LINE_LEN];
    state->viewingPlayer = currentPlayer(game, &state->state);
    int seat = (state->viewingPlayer + first) % seats;
    Action call = {a_call, 0};
    while (true) {
      if (getLine(buffer[seat], MAX_LINE_LEN, line, TIMEOUT) <= 0) fail("no answer");
      if (line[0] == '#' || line[0] == ';') continue;
      MatchState answered;
      int at = readMatchState(line, game, &answered);
      if (at < 0 || !matchStatesEqual(game, state, &answered)) {
        fprintf(stderr, "WARNING: not requested: %s", line);
        continue;
      }
      Action action;
      if (line[at] == ':' && readAction(&line[at + 1], game, &action) > 0 &&
          isValidAction(game, &state->state, 0, &action)) {
        return action;
      }
      fprintf(stderr, "WARNING: not valid: %s", line);
      return call;
    }
  }
};

int main(int argc, char **argv) {
  if (argc != 4) fail("usage: dealer GAME HANDS SEED");
  Table table;
  FILE *file = fopen(argv[1], "r");
  if (file == NULL || (table.game = readGame(file)) == NULL) fail("no game");
  int seats = table.seats = table.game->numPlayers;
  uint32_t hands = strtoul(argv[2], NULL, 10);
  rng_state_t generator;
  init_genrand(&generator, strtoul(argv[3], NULL, 10));

  int listening[MAX_PLAYERS];
  for (int seat = 0; seat < seats; ++seat) {
    uint16_t port = 0;
    if ((listening[seat] = getListenSocket(&port)) < 0) fail("no port");
    printf(seat ? " %d" : "%d", port);
  }
  printf("\n");
  fflush(stdout);
  char line[MAX_LINE_LEN];
  for (int seat = 0; seat < seats; ++seat) {
    table.fd[seat] = accept(listening[seat], NULL, NULL);
    int yes = 1;
    setsockopt(table.fd[seat], IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    table.buffer[seat] = createReadBuf(table.fd[seat]);
  }
  for (int seat = 0; seat < seats; ++seat) {
    unsigned major, minor, revision;
    if (getLine(table.buffer[seat], MAX_LINE_LEN, line, TIMEOUT) <= 0 ||
        sscanf(line, "VERSION:%u.%u.%u", &major, &minor, &revision) < 3) {
      fail("no version");
    }
  }

  double total[MAX_PLAYERS] = {0};
  for (uint32_t hand = 0; hand < hands; ++hand) {
    int first = hand % seats;  // the seat of position 0
    MatchState state;
    initState(table.game, hand, &state.state);
    dealCards(table.game, &generator, &state.state);
    while (!stateFinished(&state.state)) {
      table.tell(&state, first);
      Action action = table.ask(&state, first);
      doAction(table.game, &action, &state.state);
    }
    int length = printState(table.game, &state.state, MAX_LINE_LEN, line);
    for (int position = 0; position < seats; ++position) {
      double value = valueOfState(table.game, &state.state, position);
      total[(position + first) % seats] += value;
      length += sprintf(&line[length], position ? "|%.6f" : ":%.6f", value);
      length = trimmed(line, length);
    }
    for (int position = 0; position < seats; ++position) {
      length += sprintf(&line[length], position ? "|p%d" : ":p%d", (position + first) % seats + 1);
    }
    printf("%s\n", line);
    table.tell(&state, first);
  }
  int length = sprintf(line, "SCORE");
  for (int seat = 0; seat < seats; ++seat) {
    length += sprintf(&line[length], seat ? "|%.6f" : ":%.6f", total[seat]);
    length = trimmed(line, length);
  }
  for (int seat = 0; seat < seats; ++seat) {
    length += sprintf(&line[length], seat ? "|p%d" : ":p%d", seat + 1);
  }
  printf("%s\n", line);
  return EXIT_SUCCESS;
}

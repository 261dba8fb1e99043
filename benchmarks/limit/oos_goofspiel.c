/* Outcome sampling with incremental tree building on II-Goofspiel, written for this one game: the speed limit for a general library.

   It does the work of `OnlineOutcomeSampling` on `goofspiel(imp_info=True, points_order=ascending)`, move for move and in the same order: the same
   keys, random numbers and formulas. From the same generator state, and compiled with -ffp-contract=off, it adds the same information sets and ends
   with the same numbers, to the last bit. What it leaves out, because this game and this search can do without: the public key, the record of past
   bids, growth between calls (it grows where it adds), and everything that makes rules exchangeable.

   usage: oos_goofspiel ITERATIONS CARDS LOWEST_CARD S0 S1 S2 S3 [DUMP]
   Cards and points are LOWEST_CARD .. LOWEST_CARD + CARDS - 1; S0 .. S3 is the state of xoshiro256++. Prints seconds, iterations per second,
   information sets, traversals that ended in memory, playouts and moves. DUMP: a file for one line "key n regrets strategy-sums" per set, in hex. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CARDS = 13, MAX_DEPTH = 2 * MAX_CARDS };

static const double EPSILON = 0.6, GAMMA = 0.01;
static const uint64_t ACTION = 0x9E3779B97F4A7C15u, PUBLIC = 0x165667B19E3779F9u, FIRST = 0xD6E8FEB86659FD93u;
static const uint64_t CHOSEN = (uint64_t)1 << 40;

/* --- keys and random numbers --- */

static inline uint64_t mix(uint64_t x) {
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDu;
    x ^= x >> 33;
    x *= 0xC4CEB9FE1A85EC53u;
    x ^= x >> 33;
    return x;
}

static inline uint64_t fold(uint64_t key, uint64_t action, uint64_t public_token) { return mix(key ^ (action * ACTION + public_token * PUBLIC)); }

static uint64_t rng[4];

static inline uint64_t rotate_left(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline double uniform(void) {
    uint64_t result = rotate_left(rng[0] + rng[3], 23) + rng[0], t = rng[1] << 17;
    rng[2] ^= rng[0];
    rng[3] ^= rng[1];
    rng[1] ^= rng[2];
    rng[0] ^= rng[3];
    rng[2] ^= t;
    rng[3] = rotate_left(rng[3], 45);
    return (double)(result >> 11) * (1.0 / 9007199254740992.0);
}

/* --- the table: open addressing from a key to a row of n regrets and n strategy sums --- */

typedef struct {
    uint64_t key;
    int64_t start; /* of the row, plus 1; 0 marks a free slot */
} Slot;

static Slot *slots;
static double *values;
static int64_t num_slots = 2048, num_sets, num_values, max_values = 16384;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static inline uint64_t first_slot(uint64_t key, uint64_t mask) { return (key * 0x9E3779B97F4A7C15u >> 33) & mask; }

static int64_t find(uint64_t key) {
    uint64_t mask = (uint64_t)num_slots - 1, slot = first_slot(key, mask);
    while (slots[slot].start) {
        if (slots[slot].key == key) return slots[slot].start - 1;
        slot = (slot + 1) & mask;
    }
    return -1;
}

static void occupy(uint64_t key, int64_t start) {
    uint64_t mask = (uint64_t)num_slots - 1, slot = first_slot(key, mask);
    while (slots[slot].start) slot = (slot + 1) & mask;
    slots[slot] = (Slot){key, start + 1};
}

static void grow_slots(void) {
    Slot *old = slots;
    num_slots *= 2;
    slots = allocate(num_slots, sizeof *slots);
    for (int64_t i = 0; i < num_slots / 2; i++)
        if (old[i].start) occupy(old[i].key, old[i].start - 1);
    free(old);
}

static void grow_values(void) {
    double *longer = allocate(max_values + max_values / 2, sizeof *longer);
    memcpy(longer, values, max_values * sizeof *longer);
    free(values);
    values = longer;
    max_values += max_values / 2;
}

static int64_t add(uint64_t key, int n) {
    if (num_sets + 1 > num_slots * 0.6) grow_slots();
    if (num_values + 2 * n > max_values) grow_values();
    int64_t start = num_values;
    occupy(key, start);
    num_sets++;
    num_values += 2 * n;
    return start;
}

/* --- the game --- */

static int num_cards, lowest_card;

typedef struct {
    int hand[2]; /* masks of cards */
    int mover, choice, round, difference;
    uint64_t key[2];
} State;

static inline int legal_actions(const State *state, int *actions) {
    int n = 0;
    for (int hand = state->hand[state->mover]; hand; hand &= hand - 1) actions[n++] = __builtin_ctz(hand);
    return n;
}

static inline void apply(State *state, int action) {
    int mover = state->mover;
    state->hand[mover] &= ~(1 << action);
    uint64_t token = CHOSEN;
    if (mover == 0) {
        state->choice = action;
        state->mover = 1;
    } else {
        int winner = (action > state->choice) - (action < state->choice);
        state->difference -= winner * (lowest_card + state->round);
        state->round++;
        state->mover = 0;
        token = 2 + winner;
    }
    state->key[mover] = fold(state->key[mover], action + 1, token);
    state->key[1 - mover] = fold(state->key[1 - mover], 0, token);
}

/* --- the search --- */

typedef struct {
    int64_t row;
    int player, n, chosen;
    double pi, q, sigma[MAX_CARDS];
} Step;

static int64_t in_tree, playouts, moves;

static void match_regrets(const double *regret, int n, double *sigma) {
    double total = 0.0;
    for (int a = 0; a < n; a++) total += regret[a] > 0.0 ? regret[a] : 0.0;
    double uniform_part = total > 0.0 ? GAMMA / n : 1.0 / n, scale = total > 0.0 ? (1.0 - GAMMA) / total : 0.0;
    for (int a = 0; a < n; a++) sigma[a] = uniform_part + (regret[a] > 0.0 ? regret[a] : 0.0) * scale;
}

static int sample_exploring(const double *sigma, int n, double epsilon) {
    double floor = epsilon / n, r = uniform();
    int chosen = 0;
    for (int a = 0; a < n; a++) {
        double p = floor + (1.0 - epsilon) * sigma[a];
        if (p > 0.0) {
            chosen = a;
            if (r < p) break;
            r -= p;
        }
    }
    return chosen;
}

static void update(const Step *path, int depth, int i, double u, double q, double x) {
    for (int d = depth - 1; d >= 0; d--) {
        const Step *step = &path[d];
        double *row = values + step->row, c = x;
        x *= step->sigma[step->chosen];
        if (step->player == i) {
            double w = u * step->pi / q;
            for (int a = 0; a < step->n; a++) row[a] -= x * w;
            row[step->chosen] += c * w;
        } else {
            double weight = step->pi / step->q;
            for (int a = 0; a < step->n; a++) row[step->n + a] += weight * (step->sigma[a] - GAMMA / step->n);
        }
    }
}

static void traverse(int i) {
    static Step path[MAX_DEPTH];
    State state = {{(1 << num_cards) - 1, (1 << num_cards) - 1}, 0, 0, 0, 0, {mix(FIRST), mix(FIRST + 1)}};
    double pi = 1.0, q = 1.0, x = 1.0;
    int depth = 0, in_memory = 1, actions[MAX_CARDS];
    while (state.round < num_cards) {
        moves++;
        int player = state.mover, n = legal_actions(&state, actions), a;
        int64_t row = -1;
        if (in_memory) {
            row = find(state.key[player]);
            if (row < 0) {
                in_memory = 0;
                playouts++;
                row = add(state.key[player], n);
            }
        }
        if (row < 0) {
            a = (int)(uniform() * n);
            q *= 1.0 / n;
            x *= 1.0 / n;
        } else {
            Step *step = &path[depth++];
            double explore = player == i ? EPSILON : 0.0;
            match_regrets(values + row, n, step->sigma);
            a = sample_exploring(step->sigma, n, explore);
            step->row = row, step->player = player, step->n = n, step->chosen = a, step->pi = pi, step->q = q;
            q *= explore / n + (1.0 - explore) * step->sigma[a];
            if (player != i) pi *= step->sigma[a];
        }
        apply(&state, actions[a]);
    }
    in_tree += in_memory;
    double u = (state.difference > 0) - (state.difference < 0);
    update(path, depth, i, i == 0 ? u : -u, q, x);
}

/* --- the program --- */

static uint64_t bits(double value) {
    uint64_t as_integer;
    memcpy(&as_integer, &value, sizeof value);
    return as_integer;
}

static void dump(const char *name) {
    FILE *file = fopen(name, "w");
    if (!file) {
        perror(name);
        exit(1);
    }
    int64_t *end = allocate(num_values + 1, sizeof *end);
    for (int64_t s = 0; s < num_slots; s++) /* rows lie behind one another: a row ends where the next one starts */
        if (slots[s].start) end[slots[s].start - 1] = 1;
    end[num_values] = 1;
    for (int64_t s = 0; s < num_slots; s++) {
        if (!slots[s].start) continue;
        int64_t first = slots[s].start - 1, last = first + 1;
        while (!end[last]) last++;
        fprintf(file, "%016" PRIx64 " %d", slots[s].key, (int)(last - first) / 2);
        for (int64_t v = first; v < last; v++) fprintf(file, " %016" PRIx64, bits(values[v]));
        fputc('\n', file);
    }
    free(end);
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fputs("usage: oos_goofspiel ITERATIONS CARDS LOWEST_CARD S0 S1 S2 S3 [DUMP]\n", stderr);
        return 2;
    }
    int64_t iterations = atoll(argv[1]);
    num_cards = atoi(argv[2]);
    lowest_card = atoi(argv[3]);
    if (num_cards < 1 || num_cards > MAX_CARDS) {
        fprintf(stderr, "CARDS must be 1 to %d\n", MAX_CARDS);
        return 2;
    }
    for (int s = 0; s < 4; s++) rng[s] = strtoull(argv[4 + s], NULL, 10);
    slots = allocate(num_slots, sizeof *slots);
    values = allocate(max_values, sizeof *values);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int64_t iteration = 0; iteration < iterations; iteration++)
        for (int i = 0; i < 2; i++) traverse(i);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec);
    printf("%.6f %.0f %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", seconds, (double)iterations / seconds, num_sets, in_tree, playouts, moves);
    if (argc > 8) dump(argv[8]);
    return 0;
}

/* The light playout in C, the reference of `tengen bench playouts --peer`.

   The same algorithm as tengen/board/kernels/stones.py and tengen/playout/kernels/light.py,
   with the same random numbers. Both must play the same games;
   tests/bench/test_playouts.py checks it. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIDE = 20, POINTS = 424 };
enum { EMPTY = 0, BLACK = 1, WHITE = 2, WALL = 3 };
enum { UP = -STRIDE, LEFT = -1, RIGHT = 1, DOWN = STRIDE };

static const int LINE[4] = {UP, LEFT, RIGHT, DOWN};
static const int NEIGHBOR[8] = {UP - 1, UP, UP + 1, LEFT, RIGHT, DOWN - 1, DOWN, DOWN + 1};
static const uint32_t BESIDE = 0x1144, DIAGONAL = 0x4411;

typedef struct {
    uint32_t rows, columns, to_play, ko, empties, hash_low, hash_high, prisoners[3];
    uint32_t last, last_but_one, passes, moves;
    uint32_t color[POINTS], head[POINTS], next[POINTS], stones[POINTS];
    uint32_t liberties[POINTS], sum[POINTS], squares[POINTS];
    uint32_t empty_list[POINTS], empty_place[POINTS], around[POINTS];
} Board;

static uint32_t zobrist_low[3 * POINTS], zobrist_high[3 * POINTS];
static uint64_t random_state;

static uint32_t random_below(uint32_t bound) {
    uint64_t x = random_state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random_state = x;
    return (uint32_t)((((x * 0x2545F4914F6CDD1DULL) >> 32) * bound) >> 32);
}

static void clear(Board *b, uint32_t rows, uint32_t columns) {
    memset(b, 0, sizeof *b);
    b->rows = rows;
    b->columns = columns;
    b->to_play = BLACK;
    for (int p = 0; p < POINTS; p++) b->color[p] = WALL;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t p = (row + 1) * STRIDE + column + 1;
            b->color[p] = EMPTY;
            b->empty_list[b->empties] = p;
            b->empty_place[p] = b->empties++;
        }
    for (uint32_t k = 0; k < b->empties; k++) {
        uint32_t p = b->empty_list[k];
        for (int i = 0; i < 8; i++) b->around[p] |= b->color[p + NEIGHBOR[i]] << (2 * i);
    }
}

static void flip_hash(Board *b, uint32_t p, uint32_t color) {
    b->hash_low ^= zobrist_low[color * POINTS + p];
    b->hash_high ^= zobrist_high[color * POINTS + p];
}

static void flip_around(Board *b, uint32_t p, uint32_t color) {
    for (int i = 0; i < 8; i++) b->around[p + NEIGHBOR[i]] ^= color << (14 - 2 * i);
}

static int in_atari(const Board *b, uint32_t head) {
    uint64_t count = b->liberties[head], sum = b->sum[head], squares = b->squares[head];
    return count * squares == sum * sum;
}

static int new_chain(Board *b, uint32_t p, uint32_t color) {
    uint32_t count = 0, sum = 0, squares = 0;
    int is_capture = 0;
    b->color[p] = color;
    b->head[p] = p;
    b->next[p] = p;
    b->stones[p] = 1;
    for (int i = 0; i < 4; i++) {
        uint32_t n = p + LINE[i], head = b->head[n], is_empty = b->color[n] == EMPTY;
        count += is_empty;
        sum += is_empty * n;
        squares += is_empty * (n * n);
        uint32_t left = --b->liberties[head];
        b->sum[head] -= p;
        b->squares[head] -= p * p;
        is_capture |= (b->color[n] == 3 - color) & (left == 0);
    }
    b->liberties[p] = count;
    b->sum[p] = sum;
    b->squares[p] = squares;
    return is_capture;
}

static void join(Board *b, uint32_t one, uint32_t other) {
    if (b->stones[one] < b->stones[other]) {
        uint32_t t = one;
        one = other;
        other = t;
    }
    b->stones[one] += b->stones[other];
    b->liberties[one] += b->liberties[other];
    b->sum[one] += b->sum[other];
    b->squares[one] += b->squares[other];
    uint32_t stone = other;
    for (;;) {
        b->head[stone] = one;
        if (b->next[stone] == other) break;
        stone = b->next[stone];
    }
    uint32_t after = b->next[one];
    b->next[one] = other;
    b->next[stone] = after;
}

static uint32_t remove_chain(Board *b, uint32_t head, uint32_t color) {
    uint32_t count = b->stones[head], stone = head;
    for (uint32_t k = 0; k < count; k++) {
        b->color[stone] = EMPTY;
        b->head[stone] = 0;
        flip_hash(b, stone, color);
        flip_around(b, stone, color);
        b->empty_list[b->empties] = stone;
        b->empty_place[stone] = b->empties++;
        for (int i = 0; i < 4; i++) {
            uint32_t n = stone + LINE[i], h = b->head[n];
            b->liberties[h]++;
            b->sum[h] += stone;
            b->squares[h] += stone * stone;
        }
        stone = b->next[stone];
    }
    b->prisoners[color] += count;
    return count;
}

static uint32_t capture_beside(Board *b, uint32_t p, uint32_t enemy, uint32_t *captured_at) {
    uint32_t captured = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t n = p + LINE[i], head = b->head[n];
        if (b->color[n] == enemy && b->liberties[head] == 0) {
            captured += remove_chain(b, head, enemy);
            *captured_at = n;
        }
    }
    return captured;
}

static uint32_t put_stone(Board *b, uint32_t p, uint32_t color) {
    uint32_t last = b->empty_list[--b->empties], place = b->empty_place[p];
    b->empty_list[place] = last;
    b->empty_place[last] = place;
    flip_hash(b, p, color);
    flip_around(b, p, color);
    int is_capture = new_chain(b, p, color);
    uint32_t captured = 0, captured_at = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t n = p + LINE[i];
        if (b->color[n] == color && b->head[n] != b->head[p]) join(b, b->head[n], b->head[p]);
    }
    if (is_capture) captured = capture_beside(b, p, 3 - color, &captured_at);
    uint32_t head = b->head[p];
    if (b->liberties[head] == 0)
        remove_chain(b, head, color);
    else if (captured == 1 && b->stones[head] == 1 && b->liberties[head] == 1)
        return captured_at;
    return 0;
}

static void play(Board *b, uint32_t move) {
    uint32_t color = b->to_play;
    b->ko = 0;
    if (move == 0) {
        b->passes++;
    } else {
        b->passes = 0;
        b->ko = put_stone(b, move, color);
    }
    b->last_but_one = b->last;
    b->last = move;
    b->to_play = 3 - color;
    b->moves++;
}

static int is_suicide(const Board *b, uint32_t p, uint32_t color) {
    if (~(b->around[p] | b->around[p] >> 1) & BESIDE) return 0;
    int is_saved = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t n = p + LINE[i], beside = b->color[n];
        is_saved |= ((beside == color) != in_atari(b, b->head[n])) & (beside != WALL);
    }
    return !is_saved;
}

static int is_eye_like(const Board *b, uint32_t p, uint32_t color) {
    uint32_t mask = BESIDE << (color - 1);
    return (b->around[p] & mask) == mask;
}

static int is_eye(const Board *b, uint32_t p, uint32_t color) {
    if (!is_eye_like(b, p, color)) return 0;
    uint32_t code = b->around[p], enemy = 3 - color;
    uint32_t against = code >> (enemy - 1) & ~(code >> (2 - enemy)) & DIAGONAL;
    if (code & code >> 1 & DIAGONAL) return against == 0;
    return (against & (against - 1)) == 0;
}

static uint32_t uniform_move(Board *b) {
    uint32_t color = b->to_play, left = b->empties;
    while (left > 0) {
        uint32_t place = random_below(left), p = b->empty_list[place];
        if (p != b->ko && !is_eye(b, p, color) && !is_suicide(b, p, color)) return p;
        left--;
        uint32_t last = b->empty_list[left];
        b->empty_list[left] = p;
        b->empty_place[p] = left;
        b->empty_list[place] = last;
        b->empty_place[last] = place;
    }
    return 0;
}

static int64_t finished_area(const Board *b) {
    int64_t area = 0;
    for (int p = 0; p < POINTS; p++) area += (b->color[p] == BLACK) - (b->color[p] == WHITE);
    for (uint32_t k = 0; k < b->empties; k++)
        area += is_eye_like(b, b->empty_list[k], BLACK) - is_eye_like(b, b->empty_list[k], WHITE);
    return area;
}

/* light_playout ROWS COLUMNS COUNT SEED ROUNDS prints wins, area, moves and CPU seconds of each round. */
int main(int argc, char **argv) {
    if (argc != 6) return 2;
    uint32_t rows = atoi(argv[1]), columns = atoi(argv[2]), count = atoi(argv[3]);
    random_state = strtoull(argv[4], 0, 10);
    static Board start, board;
    clear(&start, rows, columns);
    for (int i = 0; i < 3 * POINTS; i++) zobrist_low[i] = zobrist_high[i] = 2654435761u * i;
    for (int round = 0; round < atoi(argv[5]); round++) {
        int64_t wins = 0, areas = 0, moves = 0;
        struct timespec begin, end;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
        for (uint32_t k = 0; k < count; k++) {
            board = start;
            uint32_t length = 0, longest = 3 * rows * columns;
            for (; board.passes < 2 && length < longest; length++) play(&board, uniform_move(&board));
            int64_t area = finished_area(&board);
            moves += length;
            areas += area;
            wins += area > 0;
        }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        double cpu_s = end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec);
        printf("%lld %lld %lld %.6f %u\n", (long long)wins, (long long)areas, (long long)moves,
               cpu_s, board.hash_low);
    }
    return 0;
}

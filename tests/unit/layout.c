/* layout.c - the layouts agree with the paper's tables and with Theorem 1, and rounds that are
   simulated in plain memory give the right result

   The paper numbers the dimensions so that D[0] varies fastest. In this library the last factor
   varies fastest, as in MPI_Cart_create. So the paper's list D is our list reversed, and the
   paper's round k is our round along dimension d-1-k. */
#include "exchange/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tap.h"
#include "policy/factorization.h"

enum {
    SMALL_P = 128,
    LARGE_P = 1152,
    /* One of this many factorizations of LARGE_P is simulated. */
    LARGE_STRIDE = 97,
    TABLE_P = 144
};

/* One line of a table as the paper prints it: the whole sequence, or its beginning and end. */
struct line {
    int round, block;
    const char *sequence;
};

struct table {
    int d;
    /* The paper's D[0], D[1], … */
    int factors[4];
    /* For each round its lists. The indices of a composite block are sums of their numbers. */
    const char *header[4];
    struct line line[16];
};

/* The tables differ from the paper where the paper has errors. The last line of the first table
   has 18 here for 28. The last line but one of the second table has 13 for 23. In the third
   table the last three lines of round 0 are corrected. */
static const struct table tables[] = {
    {2,
     {5, 4},
     {"[0,1,2,3,4][0,5,10,15]", "[0,5,10,15][0,1,2,3,4]"},
     {{0, 0, "0,5,10,15"},
      {0, 1, "1,6,11,16"},
      {0, 2, "2,7,12,17"},
      {0, 3, "3,8,13,18"},
      {0, 4, "4,9,14,19"},
      {1, 0, "0,1,2,3,4"},
      {1, 1, "5,6,7,8,9"},
      {1, 2, "10,11,12,13,14"},
      {1, 3, "15,16,17,18,19"}}},
    {3,
     {2, 3, 4},
     {"[0,1][0,2,4][0,6,12,18]", "[0,2,4][0,6,12,18][0,1]", "[0,6,12,18][0,1,2,3,4,5]"},
     {{0, 0, "0,6,12,18,2,8,14,20,4,10,16,22"},
      {0, 1, "1,7,13,19,3,9,15,21,5,11,17,23"},
      {1, 0, "0,1,6,7,12,13,18,19"},
      {1, 1, "2,3,8,9,14,15,20,21"},
      {1, 2, "4,5,10,11,16,17,22,23"},
      {2, 0, "0,1,2,3,4,5"},
      {2, 1, "6,7,8,9,10,11"},
      {2, 2, "12,13,14,15,16,17"},
      {2, 3, "18,19,20,21,22,23"}}},
    {4,
     {4, 3, 3, 4},
     {"[0,1,2,3][0,4,8][0,12,24][0,36,72,108]", "[0,4,8][0,12,24][0,36,72,108][0,1,2,3]",
      "[0,12,24][0,36,72,108][0,1,2,3,4,5,6,7,8,9,10,11]",
      "[0,36,72,108][0,1,2,3,4,5,6,7,8,...,33,34,35]"},
     {{0, 0, "0,36,72,108,12,...,32,68,104,140"},
      {0, 1, "1,37,73,109,13,...,33,69,105,141"},
      {0, 2, "2,38,74,110,14,...,34,70,106,142"},
      {0, 3, "3,39,75,111,15,...,35,71,107,143"},
      {1, 0, "0,1,2,3,36,37,38,39,...,132,133,134,135"},
      {1, 1, "4,5,6,7,40,41,42,43,...,136,137,138,139"},
      {1, 2, "8,9,10,11,44,45,46,47,...,140,141,142,143"},
      {2, 0, "0,1,2,3,4,5,6,7,8,9,10,11,36,...,117,118,119"},
      {2, 1, "12,13,14,15,16,17,18,19,20,21,22,23,48,...,129,130,131"},
      {2, 2, "24,25,26,27,28,29,30,31,32,33,34,35,60,...,141,142,143"},
      {3, 0, "0,1,2,3,4,5,6,7,8,...,33,34,35"},
      {3, 1, "36,37,38,39,40,41,42,43,44,...,69,70,71"},
      {3, 2, "72,73,74,75,76,77,78,79,80,...,105,106,107"},
      {3, 3, "108,109,110,111,112,113,114,115,116,...,141,142,143"}}},
};

/* The indices of some blocks, in the order in which a composite block has them. */
struct walk {
    int num;
    int index[TABLE_P];
};

/* Reads one list of a header, such as "[0,1,2,...,5]". The dots stand for the numbers between
   their neighbours. Returns the text that follows the list. */
static const char *read_list(const char *text, struct walk *list)
{
    for (list->num = 0, text++;; text++) {
        char *end;
        bool run = strncmp(text, "...,", 4) == 0;
        int number = (int)strtol(run ? text + 4 : text, &end, 10);
        int from = run ? list->index[list->num - 1] + 1 : number;
        while (from <= number)
            list->index[list->num++] = from++;
        text = end;
        if (*text == ']')
            return text + 1;
    }
}

/* Returns the sequence of one composite block by the header. The block picks its number from
   the first list. The sequence takes all numbers of the other lists, and the last list varies
   fastest. */
static struct walk walk_of_header(const char *header, int block)
{
    struct walk list, walk = {.num = 1};

    header = read_list(header, &list);
    walk.index[0] = list.index[block];
    while (*header != '\0') {
        struct walk longer = {.num = 0};
        header = read_list(header, &list);
        for (int i = 0; i < walk.num; i++) {
            for (int j = 0; j < list.num; j++)
                longer.index[longer.num++] = walk.index[i] + list.index[j];
        }
        walk = longer;
    }
    return walk;
}

static struct walk walk_of_layout(const struct layout *layout, int block)
{
    struct walk walk = {.num = 0};

    for (size_t m = 0; m < layout->segments; m++) {
        for (size_t i = 0; i < layout->segment; i++)
            walk.index[walk.num++] =
                (int)((size_t)block * layout->segment + m * layout->stride + i);
    }
    return walk;
}

/* Returns whether the walk is the whole line, or begins and ends as the line does. */
static bool walk_is_line(const struct walk *walk, const char *line)
{
    char *end;
    int i = 0;

    for (;; line = end + 1, i++) {
        if (strncmp(line, "...,", 4) == 0) {
            line += 4;
            i = walk->num - 1;
            for (const char *c = line; *c != '\0'; c++)
                i -= *c == ',';
        }
        if (i < 0 || i >= walk->num || strtol(line, &end, 10) != walk->index[i])
            return false;
        if (*end == '\0')
            return i == walk->num - 1;
    }
}

static bool same_set(const struct walk *a, const struct walk *b)
{
    bool in_a[TABLE_P] = {false}, in_b[TABLE_P] = {false};

    for (int i = 0; i < a->num; i++)
        in_a[a->index[i]] = true;
    for (int i = 0; i < b->num; i++)
        in_b[b->index[i]] = true;
    return a->num == b->num && memcmp(in_a, in_b, sizeof in_a) == 0;
}

static bool ascends(const struct walk *walk)
{
    for (int i = 1; i < walk->num; i++) {
        if (walk->index[i] <= walk->index[i - 1])
            return false;
    }
    return true;
}

/* Rank i of a dimension sends its composite block j to rank j, which receives it as composite
   block i. So the n-th block of the one must go to the n-th place of the other: both indices
   must be the same apart from the digit of this dimension. */
static bool same_order(const struct walk *one, const struct walk *other)
{
    for (int n = 0; n < one->num; n++) {
        if (one->index[n] - one->index[0] != other->index[n] - other->index[0])
            return false;
    }
    return one->num == other->num;
}

static void check_line(const struct table *table, const struct factors *factors,
                       const struct line *line)
{
    struct layout layout = layout_of_round(factors, table->d - 1 - line->round);
    struct walk paper = walk_of_header(table->header[line->round], line->block);
    struct walk ours = walk_of_layout(&layout, line->block);
    struct walk first = walk_of_layout(&layout, 0);

    ok(walk_is_line(&paper, line->sequence), "d=%d k=%d R'[%d] of the paper is [%s]", table->d,
       line->round, line->block, line->sequence);
    ok(same_set(&paper, &ours), "d=%d k=%d R'[%d] has the same blocks in the library", table->d,
       line->round, line->block);
    ok(ascends(&ours) && same_order(&ours, &first),
       "d=%d k=%d R'[%d] ascends, and sender and receiver have the same order", table->d,
       line->round, line->block);
}

static void check_table(const struct table *table)
{
    struct factors factors = {.num = table->d};
    int lines = 0, blocks = 0;

    for (int k = 0; k < table->d; k++) {
        factors.size[table->d - 1 - k] = table->factors[k];
        blocks += table->factors[k];
    }
    for (const struct line *line = table->line; line->sequence != NULL; line++, lines++)
        check_line(table, &factors, line);
    ok(lines == blocks, "the table for d=%d has all %d composite blocks", table->d, blocks);
}

/* Calls visit for every ordered factorization that begins with the given factors. The product
   of the other factors is rest. */
static void for_each_factorization(struct factors *factors, int rest,
                                   void (*visit)(const struct factors *factors))
{
    if (rest == 1) {
        if (factors->num > 0)
            visit(factors);
        return;
    }
    for (int factor = 2; factor <= rest; factor++) {
        if (rest % factor != 0)
            continue;
        factors->size[factors->num++] = factor;
        for_each_factorization(factors, rest / factor, visit);
        factors->num--;
    }
}

static int product_of(const struct factors *factors)
{
    int p = 1;

    for (int k = 0; k < factors->num; k++)
        p *= factors->size[k];
    return p;
}

/* Prints a factorization that is wrong. It prints no more than ten of them. */
static void report(const struct factors *factors, const char *what)
{
    static int reports;
    char text[128];

    if (reports++ >= 10)
        return;
    factorization_format(factors, text, sizeof text);
    printf("# %s: %s\n", text, what);
}

/* Returns whether each of the p blocks is in exactly one composite block of the round. */
static bool is_partition(const struct layout *layout, int p)
{
    bool seen[LARGE_P] = {false};
    int blocks = 0;

    for (size_t j = 0; j < (size_t)layout->peers; j++) {
        for (size_t m = 0; m < layout->segments; m++) {
            for (size_t i = 0; i < layout->segment; i++) {
                size_t index = j * layout->segment + m * layout->stride + i;
                if (index >= (size_t)p || seen[index])
                    return false;
                seen[index] = true;
                blocks++;
            }
        }
    }
    return blocks == p;
}

static int visited, wrong;

static void check_theorem(const struct factors *factors)
{
    int p = product_of(factors);
    size_t messages = 0, blocks = 0, messages_expected = 0;
    size_t blocks_expected = (size_t)factors->num * (size_t)p;
    bool good = true;

    for (int k = factors->num - 1; k >= 0; k--) {
        struct layout layout = layout_of_round(factors, k);
        size_t peers = (size_t)layout.peers - 1;
        messages += peers;
        blocks += peers * layout_composite(&layout);
        messages_expected += (size_t)factors->size[k] - 1;
        blocks_expected -= (size_t)(p / factors->size[k]);
        good = good && is_partition(&layout, p) && layout_is_contiguous(&layout) == (k == 0);
    }
    visited++;
    if (good && messages == messages_expected && blocks == blocks_expected)
        return;
    wrong++;
    report(factors, "the counts are not the counts of Theorem 1");
}

/* The contents of a block. It has several bytes, so that wrong numbers of bytes are noticed. */
struct block {
    int32_t from, to;
};

/* Each of the two has a buffer of p blocks for every rank, in the order of the ranks. */
static struct block *buffer[2];

static void fill_send_buffers(int p)
{
    for (int rank = 0; rank < p; rank++) {
        for (int to = 0; to < p; to++)
            buffer[0][rank * p + to] = (struct block){.from = rank, .to = to};
    }
}

static bool buffers_are_received(const struct block *received, int p)
{
    for (int rank = 0; rank < p; rank++) {
        for (int from = 0; from < p; from++) {
            const struct block *block = &received[rank * p + from];
            if (block->from != from || block->to != rank)
                return false;
        }
    }
    return true;
}

/* Copies the composite block that rank sends to peer. rank and peer are coordinates along the
   dimension of the round. */
static void move_composite(const char *send, char *receive, const struct layout *bytes,
                           size_t rank, size_t peer)
{
    for (size_t m = 0; m < bytes->segments; m++)
        memcpy(receive + rank * bytes->segment + m * bytes->stride,
               send + peer * bytes->segment + m * bytes->stride, bytes->segment);
}

/* Carries out the round along dimension k for all ranks. */
static void simulate_round(const struct factors *factors, int k, int p,
                           const struct block *send, struct block *receive)
{
    struct layout layout = layout_of_round(factors, k);
    struct layout bytes = layout_scale(layout, sizeof *send);
    /* The ranks are numbered in row-major order. So the ranks of two neighbours along the
       dimension differ by this. */
    int distance = (int)layout.segment;

    for (int rank = 0; rank < p; rank++) {
        int mine = rank / distance % layout.peers;
        for (int theirs = 0; theirs < layout.peers; theirs++) {
            int peer = rank + (theirs - mine) * distance;
            move_composite((const char *)&send[rank * p], (char *)&receive[peer * p], &bytes,
                           (size_t)mine, (size_t)theirs);
        }
    }
}

static void simulate(const struct factors *factors)
{
    int p = product_of(factors), now = 0;

    fill_send_buffers(p);
    for (int k = factors->num - 1; k >= 0; k--) {
        /* If a round forgets to write a block, an earlier round must not have left it there. */
        memset(buffer[1 - now], 0xff, (size_t)p * (size_t)p * sizeof *buffer[0]);
        simulate_round(factors, k, p, buffer[now], buffer[1 - now]);
        now = 1 - now;
    }
    visited++;
    if (buffers_are_received(buffer[now], p))
        return;
    wrong++;
    report(factors, "the rounds are no all-to-all");
}

static void simulate_some(const struct factors *factors)
{
    static int number;

    if (number++ % LARGE_STRIDE == 0)
        simulate(factors);
}

static void simulate_balanced(void)
{
    static const int nums[] = {2, 3, 4, 9};

    for (size_t i = 0; i < sizeof nums / sizeof nums[0]; i++) {
        struct factors factors;
        factorization_balance(LARGE_P, nums[i], &factors);
        simulate(&factors);
    }
}

static void for_p(int p, void (*visit)(const struct factors *factors))
{
    struct factors factors = {.num = 0};

    for_each_factorization(&factors, p, visit);
}

static void for_small_p(void (*visit)(const struct factors *factors))
{
    for (int p = 2; p <= SMALL_P; p++)
        for_p(p, visit);
}

static void start_count(void)
{
    visited = 0;
    wrong = 0;
}

int main(void)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        check_table(&tables[i]);
    for (int i = 0; i < 2; i++) {
        buffer[i] = malloc((size_t)LARGE_P * LARGE_P * sizeof *buffer[i]);
        if (buffer[i] == NULL)
            return EXIT_FAILURE;
    }

    start_count();
    for_small_p(check_theorem);
    ok(visited > 0 && wrong == 0, "Theorem 1 holds for all %d factorizations of p <= %d",
       visited, SMALL_P);
    start_count();
    for_p(LARGE_P, check_theorem);
    ok(visited > 0 && wrong == 0, "Theorem 1 holds for all %d factorizations of p = %d",
       visited, LARGE_P);
    start_count();
    for_small_p(simulate);
    ok(visited > 0 && wrong == 0,
       "the rounds are an all-to-all for all %d factorizations of p <= %d", visited, SMALL_P);
    start_count();
    simulate_balanced();
    for_p(LARGE_P, simulate_some);
    ok(visited > 4 && wrong == 0,
       "the rounds are an all-to-all for %d factorizations of p = %d", visited, LARGE_P);

    free(buffer[0]);
    free(buffer[1]);
    return tap_done();
}

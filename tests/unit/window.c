/* window.c - ranks that share a window find the data of each step, in cells and in slots

   The windows are those of the library. All ranks are played by one process, one after the
   other. The test brings its own shared memory and its own waits: a wait does not wait, but
   remembers that a rank would have had to. */
#include "memory/window.h"

#include <string.h>

#include "memory/limits.h"

#include "../tap.h"

enum { RANKS_MOST = 5, SIZE = 40 };

/* The bytes of data in a line of a cell. */
enum { DATA = WINDOW_LINE_DATA };

static _Alignas(4096) char memory[1 << 20];
static struct window *windows[RANKS_MOST];
/* The rank that is played, the ranks of the window, and whether they outnumber processors. */
static int me, ranks;
static bool crowded;
/* A rank would have had to wait. */
static bool late;
/* The system can find pages later. */
static bool on_demand;
/* The last three parts of the memory for which a rank has asked for pages. */
static struct shared_part paged[SHARED_PARTS_MOST];

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = me;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = ranks;
    return MPI_SUCCESS;
}

bool limits_has_room(uint64_t bytes)
{
    (void)bytes;
    return true;
}

int shared_begin(MPI_Comm comm, const struct shared_want *want, struct shared_named *named,
                 struct shared *shared)
{
    (void)comm;
    (void)named;
    if (!on_demand && want->size > sizeof memory)
        return MPI_ERR_NO_MEM;
    memcpy(paged, want->first, sizeof paged);
    *shared = (struct shared){.address = memory, .complete = !on_demand};
    return MPI_SUCCESS;
}

void shared_end(const struct shared_named *named)
{
    (void)named;
}

bool shared_reserve(const struct shared *shared, struct shared_part part)
{
    (void)shared;
    paged[0] = paged[1];
    paged[1] = paged[2];
    paged[2] = part;
    return true;
}

void shared_free(struct shared *shared)
{
    (void)shared;
}

/* An odd number of cache lines, so that cells do not lie right by chance. */
size_t wait_size(int peers)
{
    return (size_t)(peers / 2 * 2 + 1) * CACHE_LINE;
}

int wait_open(MPI_Comm comm, void *head, struct wait *wait)
{
    (void)comm;
    *wait = (struct wait){
        .me = me, .peers = ranks, .crowded = crowded, .announced = head, .distance = 1};
    return MPI_SUCCESS;
}

void wait_announce(const struct wait *wait, uint32_t step)
{
    *wait_word(wait, wait->me) = step;
}

void wait_for_peers(const struct wait *wait, uint32_t step, MPI_Comm comm)
{
    (void)comm;
    for (int i = 0; i < wait->peers; i++)
        late |= !wait_has_announced(*wait_word(wait, i), step);
}

void wait_for_words(const struct wait *wait, const struct wait_words *words, uint64_t value,
                    MPI_Comm comm)
{
    (void)comm;
    for (int i = 0; i < wait->peers; i++)
        late |= !wait_words_have(words, i, value);
}

/* Makes the windows of so many ranks, of a torus of p ranks. */
static bool open_windows(int num, int p)
{
    const struct window_want want = {.p = p, .block = 1};
    bool good = true;

    memset(memory, 0, sizeof memory);
    ranks = num;
    for (me = 0; me < num; me++)
        good &= window_create(MPI_COMM_NULL, &want, &windows[me]) == MPI_SUCCESS;
    return good;
}

static void close_windows(void)
{
    for (int i = 0; i < ranks; i++)
        window_free(windows[i]);
}

static bool have_cells(int num, int p, bool share_processors)
{
    bool all = true, any = false;

    crowded = share_processors;
    if (!open_windows(num, p))
        return false;
    for (int i = 0; i < ranks; i++) {
        all &= windows[i]->cells != NULL;
        any |= windows[i]->cells != NULL;
    }
    if (all != any)
        ok(false, "all windows have cells, or none has");
    if (all) {
        const char *first = (char *)windows[0]->cells;
        const char *end = first + 2 * (size_t)p * WINDOW_ROW * sizeof(struct window_line);
        ok((uintptr_t)first % (2 * sizeof(struct window_line)) == 0 &&
               first >= memory + wait_size(p) && end <= windows[0]->data,
           "cells of %d ranks, torus of %d: they are aligned and between words and slots", num,
           p);
    }
    close_windows();
    crowded = false;
    return all;
}

/* What one rank has for another one in a step. */
static char content(uint64_t step, int from, int to)
{
    return (char)(step * 31 + (uint64_t)from * 7 + (uint64_t)to + 1);
}

/* The lines of the cells in a step: as few as possible in one, and as many in another one. */
static size_t lines_of(const struct window *window, uint64_t step)
{
    size_t most = 1;

    while (window_cell_lines(window, (most + 1) * DATA) > 0)
        most++;
    return 1 + step % most;
}

static void publish_in_cells(struct window *window)
{
    const size_t lines = lines_of(window, window->step + 1);
    struct window_line *cell = window_cells_next(window);

    for (int to = 0; to < ranks; to++) {
        for (size_t i = 0; i < lines; i++) {
            memset(cell[i].data, content(window->step + 1, window->me, to) + (char)i, DATA);
            window_mark(window, &cell[i]);
        }
        cell += window_cell_distance(lines);
    }
    window_announce(window);
}

static void publish(struct window *window, bool in_cells)
{
    if (in_cells) {
        publish_in_cells(window);
        return;
    }
    for (int to = 0; to < ranks; to++)
        memset(window_next(window, SIZE * (size_t)ranks) + SIZE * to,
               content(window->step + 1, window->me, to), SIZE);
    window_announce(window);
}

static bool is_filled(const char *data, size_t size, char with)
{
    for (size_t i = 0; i < size; i++) {
        if (data[i] != with)
            return false;
    }
    return true;
}

static bool collects_cells(const struct window *window)
{
    const size_t lines = lines_of(window, window->step);
    const struct window_line *cell = window_await_cells(window, lines, MPI_COMM_SELF);
    bool good = true;

    for (int from = 0; from < ranks; from++) {
        for (size_t i = 0; i < lines; i++)
            good &= is_filled(cell[(size_t)from * WINDOW_ROW + i].data, DATA,
                              content(window->step, from, window->me) + (char)i);
    }
    return good;
}

static bool collects(struct window *window, bool in_cells)
{
    bool good = true;

    if (in_cells)
        return collects_cells(window);
    window_await(window, MPI_COMM_SELF);
    for (int from = 0; from < ranks; from++)
        good &= is_filled(window_read(window, from, SIZE * (size_t)ranks) + SIZE * window->me,
                          SIZE, content(window->step, from, window->me));
    return good;
}

/* Whether cells of so many ranks take blocks of up to so many bytes, and each cell begins where
   a pair of lines begins. */
static bool take(int num, size_t size)
{
    bool good = open_windows(num, 4);

    for (size_t bytes = 1; bytes <= size; bytes++) {
        const size_t lines = window_cell_lines(windows[0], bytes);
        good &= lines == (bytes + DATA - 1) / DATA && window_cell_distance(lines) >= lines &&
                window_cell_distance(lines) % 2 == 0 &&
                window_cell_distance(lines) * (size_t)num <= WINDOW_ROW;
    }
    good &= window_cell_lines(windows[0], size + 1) == 0;
    close_windows();
    return good;
}

/* Whether a rank waits for each line of the cell that another rank has for it. */
static bool waits_for_lines(void)
{
    bool good = open_windows(2, 2);

    for (int n = 0; n < 8; n++) {
        publish(windows[0], true);
        publish(windows[1], true);
        const size_t lines = lines_of(windows[1], windows[1]->step);
        /* The row of rank 0 in this step, in which rank 1 has the second cell. */
        struct window_line *row = windows[0]->cells + windows[0]->step % 2 * 2 * WINDOW_ROW;
        for (size_t i = 0; i < lines; i++) {
            struct window_line *line = &row[window_cell_distance(lines) + i];
            late = false;
            window_await_cells(windows[1], lines, MPI_COMM_SELF);
            good &= !late;
            line->step--;
            window_await_cells(windows[1], lines, MPI_COMM_SELF);
            good &= late;
            line->step++;
        }
    }
    close_windows();
    return good;
}

/* One rank is a step ahead of the others: it publishes a step before they collect the last. */
static bool takes_steps(int num, unsigned cells_of_steps)
{
    bool good = true;

    late = false;
    for (int n = 0; n < num; n++) {
        bool in_cells = cells_of_steps >> n & 1,
             before = n > 0 && cells_of_steps >> (n - 1) & 1;
        for (int i = ranks - 1; i >= 0; i--) {
            if (n > 0)
                good &= collects(windows[i], before);
            publish(windows[i], in_cells);
            if (i == ranks - 1 && n > 0) {
                /* The others still have to collect the step before. */
                for (int k = 0; k < ranks - 1; k++)
                    good &= collects(windows[k], before);
            }
        }
    }
    return good && !late;
}

/* Whether each of two ranks of a torus of p ranks has pages for so many bytes in each half. */
static bool have_pages(size_t bytes)
{
    const struct window *last = windows[1];

    return windows[0]->capacity == bytes && last->capacity == bytes && paged[1].size == bytes &&
           paged[1].offset == last->head + bytes && paged[2].size == bytes &&
           paged[2].offset == last->head + last->half + bytes;
}

/* A window gets pages for a block of one byte, and then for a larger block. */
static void get_pages(int p, size_t first, size_t block, size_t then)
{
    const struct window_want more = {.p = p, .block = block};

    on_demand = true;
    ok(open_windows(2, p) && have_pages(first),
       "torus of %d: a new window has pages for the blocks of one byte, or one page", p);
    for (me = 0; me < ranks; me++) {
        window_reserve(windows[me], &more);
        window_extend(windows[me], &more);
    }
    ok(have_pages(then), "torus of %d: a window gets pages for blocks of %zu bytes", p, block);
    close_windows();
    on_demand = false;
}

int main(void)
{
    get_pages(16, 4096, 1000, 16000);
    get_pages(16, 4096, 40000, 262144);
    get_pages(1152, 4096, 100, 115200);
    get_pages(12289, 12352, 4, 49216);

    ok(have_cells(2, 2, false), "a window of two ranks has cells");
    ok(have_cells(4, 4, false), "a window of four ranks has cells");
    ok(have_cells(2, 4, false), "a window of two ranks has cells in a torus of four");
    ok(!have_cells(5, 5, false), "a window of five ranks has none");
    ok(!have_cells(2, 8, false), "a window of two ranks has none in a torus of eight");
    ok(!have_cells(2, 2, true), "a crowded window has none");

    ok(take(2, 448), "cells of two ranks take up to 448 bytes");
    ok(take(3, 224), "cells of three ranks take up to 224 bytes");
    ok(take(4, 56), "cells of four ranks take up to 56 bytes");
    ok(waits_for_lines(), "a rank waits for each line of a cell");

    for (int num = 2; num <= 4; num++) {
        ok(open_windows(num, 4), "%d windows", num);
        ok(takes_steps(6, 0x3f), "%d ranks: steps by cells", num);
        ok(takes_steps(6, 0), "%d ranks: steps by slots", num);
        ok(takes_steps(8, 0x55), "%d ranks: steps by cells and by slots in turns", num);
        ok(takes_steps(8, 0x33), "%d ranks: two steps of each kind in turns", num);
        close_windows();
    }

    open_windows(3, 3);
    for (int i = 0; i < ranks; i++)
        windows[i]->step = UINT32_MAX - 2;
    ok(takes_steps(8, 0x2d), "steps of both kinds are right where the announced number wraps");
    for (int i = 0; i < ranks; i++)
        windows[i]->step += UINT64_C(1) << 32;
    late = false;
    /* The same half, and the same lower half of the number. */
    windows[0]->step -= 2;
    window_await_cells(windows[0], 1, MPI_COMM_SELF);
    ok(late, "cells of the step 2^32 steps before are not taken for those of this step");
    close_windows();

    open_windows(3, 3);
    publish(windows[0], true);
    publish(windows[2], true);
    late = false;
    window_await_cells(windows[2], 1, MPI_COMM_SELF);
    ok(late, "a rank waits for the cell of a rank that has not written it");
    close_windows();
    return tap_done();
}

/* window.c - the layout of a window, and the steps that its ranks take

   The head, which the ranks wait in, comes first, with the cells at its end; then one half of
   the data, and then the other. Each half has a slot for every rank, one after the other. */
#include "memory/window.h"

#include <stdlib.h>

#include "memory/limits.h"
#include "process/cache_line.h"

/* A block that is larger than its piece of a slot goes in several steps, and each step is one
   more wait. A narrow window has pieces that stay in the caches: of PIECE bytes, or larger ones
   where the ranks are few, or of PIECE_LEAST where they are very many. A wide window takes
   whole blocks up to the threshold, of as many ranks as its size allows. docs/decisions.md has
   the measurements. */
enum { PIECE = 16384, PIECE_LEAST = 256, CAPACITY_LEAST = 65536, CAPACITY_MOST = 524288 };
enum { CAPACITY_WIDE = 4194304 };

/* The most ranks of a torus whose windows have cells. docs/decisions.md, "Memory", has the
   measurement. */
enum { CELLS_RANKS_MOST = 4 };

/* The most lines of a cell, by the number of ranks of a window. docs/decisions.md has this
   measurement, too. */
static const size_t lines_most[CELLS_RANKS_MOST + 1] = {[2] = 8, [3] = 4, [4] = 1};

/* A processor may fetch two neighbouring lines where it needs one. So two cells have no such
   lines in common. */
enum { LINES_FETCHED = 2 };

/* Each half of a new window has pages for so many bytes of each rank at least. */
enum { CAPACITY_FIRST = 4096 };

enum { PAGE = 4096 };

size_t window_capacity(int p, bool wide)
{
    size_t capacity = (size_t)p * (wide ? WINDOW_PIECE_MOST : PIECE);
    size_t most = wide ? CAPACITY_WIDE : CAPACITY_MOST;

    if (capacity < CAPACITY_LEAST)
        capacity = CAPACITY_LEAST;
    if (capacity > most)
        capacity = most;
    if (capacity < (size_t)p * PIECE_LEAST)
        capacity = (size_t)p * PIECE_LEAST;
    return capacity;
}

/* Where the cells begin, after what the ranks wait in. */
static size_t window_cells_offset(int p)
{
    const size_t alignment = LINES_FETCHED * sizeof(struct window_line);

    return (wait_size(p) + alignment - 1) / alignment * alignment;
}

static size_t window_cells_size(int p)
{
    return p <= CELLS_RANKS_MOST ? 2 * (size_t)p * WINDOW_ROW * sizeof(struct window_line) : 0;
}

/* The head has room for all ranks of the torus, though a window may have fewer: so the size of
   a window is the same in every dimension.

   The data begin in the middle of a page. A large buffer of a program begins at the start of a
   page, or 16 bytes after it, and memcpy is slow if it writes a few bytes further in a page
   than it reads. With data at the start of a page, it would do so for every block of whole
   pages. */
static size_t window_head_size(int p)
{
    size_t size = window_cells_offset(p) + window_cells_size(p);

    return (size + PAGE / 2 - 1) / PAGE * PAGE + PAGE / 2;
}

size_t window_size(int p, bool wide)
{
    return window_head_size(p) + 2 * window_capacity(p, wide);
}

/* Each slot begins at a cache line. The slots of a step lie close together if they are small: a
   rank that reads all of them then touches few pages. */
size_t window_distance(size_t size)
{
    return cache_lines_for(size);
}

static char *window_half_of(const struct window *window, uint64_t step)
{
    return window->data + (step % 2) * window->half;
}

static char *window_slot(const struct window *window, uint64_t step, int peer, size_t size)
{
    return window_half_of(window, step) + (size_t)peer * window_distance(size);
}

/* The capacity for the blocks that are wanted: in whole cache lines, as slots are. */
static size_t window_capacity_for(const struct window_want *want)
{
    size_t most = window_capacity(want->p, want->wide);

    if (want->block >= most / (size_t)want->p)
        return most;
    size_t capacity = window_distance((size_t)want->p * want->block);
    return capacity > CAPACITY_FIRST ? capacity : CAPACITY_FIRST;
}

/* The part of a half that the caller reserves, if each rank has this capacity. */
static struct shared_part window_part(const struct window *window, int half, size_t capacity)
{
    size_t before = (size_t)half * window->half + (size_t)window->me * capacity;

    return (struct shared_part){.offset = window->head + before, .size = capacity};
}

static void window_lay_out(MPI_Comm comm, const struct window_want *want, struct window *window)
{
    PMPI_Comm_rank(comm, &window->me);
    PMPI_Comm_size(comm, &window->peers);
    window->capacity = window_capacity_for(want);
    window->half = (size_t)window->peers * window_capacity(want->p, want->wide);
    window->head = window_head_size(want->p);
}

/* The part of the head that the ranks of this window write to. */
static size_t window_used_head(const struct window *window, int p)
{
    return p <= CELLS_RANKS_MOST ? window->head : wait_size(window->peers);
}

/* Makes the memory of a window that is laid out, and prepares to wait in it. able is false on a
   rank that cannot use it. */
static int window_share(MPI_Comm comm, const struct window_want *want, bool able,
                        struct window *window)
{
    struct shared_want memory = {
        .size = window_size(want->p, want->wide) * (size_t)window->peers,
        .first = {{.offset = 0, .size = window_used_head(window, want->p)},
                  window_part(window, 0, window->capacity),
                  window_part(window, 1, window->capacity)},
        .able = able};
    struct shared_named named;
    int err = shared_begin(comm, &memory, &named, &window->memory);

    if (err != MPI_SUCCESS)
        return err;
    err = wait_open(comm, window->memory.address, &window->wait);
    shared_end(&named);
    if (err != MPI_SUCCESS) {
        if (window->memory.address != NULL)
            shared_free(&window->memory);
        return err;
    }
    window->data = window->memory.address + window->head;
    if (window->memory.complete)
        window->capacity = window_capacity(want->p, want->wide);
    return MPI_SUCCESS;
}

int window_create(MPI_Comm comm, const struct window_want *want, struct window **result)
{
    struct window *window = malloc(sizeof *window), made = {.step = 0};

    window_lay_out(comm, want, &made);
    int err = window_share(comm, want, window != NULL, &made);
    if (err != MPI_SUCCESS || window == NULL) {
        free(window);
        return err;
    }
    *window = made;
    if (want->p <= CELLS_RANKS_MOST && !window->wait.crowded)
        window->cells =
            (struct window_line *)(window->memory.address + window_cells_offset(want->p));
    *result = window;
    return MPI_SUCCESS;
}

bool window_reserve(const struct window *window, const struct window_want *want)
{
    size_t capacity = window_capacity_for(want);

    if (capacity <= window->capacity)
        return true;
    size_t more = 2 * (capacity - window->capacity);
    return limits_has_room((uint64_t)more * (uint64_t)window->peers) &&
           shared_reserve(&window->memory, window_part(window, 0, capacity)) &&
           shared_reserve(&window->memory, window_part(window, 1, capacity));
}

void window_extend(struct window *window, const struct window_want *want)
{
    size_t capacity = window_capacity_for(want);

    if (capacity > window->capacity)
        window->capacity = capacity;
}

void window_free(struct window *window)
{
    shared_free(&window->memory);
    free(window);
}

char *window_next(const struct window *window, size_t size)
{
    return window_slot(window, window->step + 1, window->me, size);
}

char *window_half_next(const struct window *window)
{
    return window_half_of(window, window->step + 1);
}

char *window_half(const struct window *window)
{
    return window_half_of(window, window->step);
}

const char *window_read(const struct window *window, int peer, size_t size)
{
    return window_slot(window, window->step, peer, size);
}

void window_announce(struct window *window)
{
    window->step++;
    wait_announce(&window->wait, (uint32_t)window->step);
}

void window_await(const struct window *window, MPI_Comm comm)
{
    wait_for_peers(&window->wait, (uint32_t)window->step, comm);
}

/* The row of a rank in a step. */
static struct window_line *window_row(const struct window *window, uint64_t step, int rank)
{
    size_t rows = (size_t)window->peers;

    return &window->cells[((step % 2) * rows + (size_t)rank) * WINDOW_ROW];
}

size_t window_cell_distance(size_t lines)
{
    return (lines + LINES_FETCHED - 1) / LINES_FETCHED * LINES_FETCHED;
}

size_t window_cell_lines(const struct window *window, size_t size)
{
    size_t lines = (size + WINDOW_LINE_DATA - 1) / WINDOW_LINE_DATA;

    return window->cells != NULL && lines <= lines_most[window->peers] ? lines : 0;
}

struct window_line *window_cells_next(const struct window *window)
{
    return window_row(window, window->step + 1, window->me);
}

const struct window_line *window_await_cells(const struct window *window, size_t lines,
                                             MPI_Comm comm)
{
    const struct window_line *cell =
        window_row(window, window->step, 0) + (size_t)window->me * window_cell_distance(lines);
    const struct wait_words words = {.first = &cell->step,
                                     .distance =
                                         WINDOW_ROW * (sizeof *cell / sizeof cell->step),
                                     .num = lines};

    wait_for_words(&window->wait, &words, window->step, comm);
    return cell;
}

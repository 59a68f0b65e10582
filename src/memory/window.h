/* window.h - memory that the ranks of a dimension share: each has a place to publish blocks in

   All ranks take the same steps, which are numbered from 1. In each step a rank writes into its
   slot and announces the step; then it waits until its peers have announced the step, and reads
   their slots.

   The memory has two halves, which the steps use in turns. Two are enough without a second
   wait: a rank that has seen all ranks announce step n knows that they have read all of step
   n-1, and step n+1 is written where step n-1 was.

   Few bytes go in cells, if there are cells. A cell consists of cache lines with data of one
   rank for one other rank. Each line also has the step for which its data are. A rank that
   waits for the cells that are for it has the data together with the announcement. A step by
   cells is a step like any other, but all ranks have to take it by cells of as many lines. */
#ifndef TORUS_A2A_WINDOW_H
#define TORUS_A2A_WINDOW_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/shared.h"
#include "memory/wait.h"
#include "process/cache_line.h"

/* The bytes of data in a line of a cell. */
enum { WINDOW_LINE_DATA = CACHE_LINE - sizeof(uint64_t) };

/* A line of a cell. */
struct window_line {
    _Alignas(CACHE_LINE) char data[WINDOW_LINE_DATA];
    /* The step in which the data were written. */
    _Atomic uint64_t step;
};

/* The lines that a rank has in each half for its cells, one cell after the other. After a cell
   with an odd number of lines comes an unused line. */
enum { WINDOW_ROW = 16 };

struct window {
    /* The caller's rank in the communicator of the dimension. */
    int me;
    /* The number of ranks in that communicator. */
    int peers;
    /* The bytes of one rank that a half has pages for. */
    size_t capacity;
    /* The bytes from the start of one half to the start of the other. */
    size_t half;
    /* The bytes before the first half, which the ranks wait in. */
    size_t head;
    /* The step that the caller announced last. The ranks announce its lower half, which wraps
       around. A line has all of it: ranks may write no cell for many steps, and then a step
       must not look like the one of long ago. */
    uint64_t step;
    /* The cells of both halves: of each half, a row for each rank that writes, with a cell for
       each rank that reads. NULL if the window has none. */
    struct window_line *cells;
    /* The first half, and the second one after it. */
    char *data;
    /* How the ranks wait for one another. */
    struct wait wait;
    /* All of the memory. */
    struct shared memory;
};

/* The bytes of the largest piece of a block in a wide window, if its ranks are not too many. */
enum { WINDOW_PIECE_MOST = 102400 };

/* What a window is for; the same on all ranks. */
struct window_want {
    /* The number of ranks of the torus: a rank publishes as many blocks, or pieces, at once. */
    int p;
    /* The bytes of one block. */
    size_t block;
    /* The window is to take larger pieces of the blocks. */
    bool wide;
};

/* The largest number of bytes that a rank of a torus of p ranks may ever publish in one step.
   The same on all ranks. */
size_t window_capacity(int p, bool wide);

/* The bytes of shared memory that each such rank then takes. The same on all ranks. */
size_t window_size(int p, bool wide);

/* Makes a window, with pages for what is wanted now. Collective over comm, whose ranks share
   memory, and which need not outlive the window. Returns an MPI error code, the same on all
   ranks. */
int window_create(MPI_Comm comm, const struct window_want *want, struct window **window);

/* Room for larger blocks is made in two steps. First each rank calls window_reserve, which has
   the system find the caller's part of the pages, and returns false if there are none. If the
   ranks agree that it returned true on all of them, each calls window_extend, before the next
   step. Both are local. */
bool window_reserve(const struct window *window, const struct window_want *want);
void window_extend(struct window *window, const struct window_want *want);

/* Local: a peer may go on reading what was announced before. */
void window_free(struct window *window);

/* The caller's slot of the next step. It may write there from the end of the last wait on. size
   is the bytes of a slot in this step: at most the capacity, and the same on all ranks. */
char *window_next(const struct window *window, size_t size);

/* All of the half that a step uses: of the next step, or of the step that was announced last.
   This is for ranks that agree by themselves on who writes where. The half has room for the
   capacity of every rank. */
char *window_half_next(const struct window *window);
char *window_half(const struct window *window);

/* Announces the next step: the peers can read all that the caller has written. */
void window_announce(struct window *window);

/* Waits until all peers have announced the step that the caller announced last. MPI makes
   progress meanwhile. */
void window_await(const struct window *window, MPI_Comm comm);

/* The lines of a cell for so many bytes. It is 0 if such blocks do not go in cells: the window
   has none, or slots are faster. The same on all ranks. */
size_t window_cell_lines(const struct window *window, size_t size);

/* The lines from one cell of so many lines to the next cell in its row. */
size_t window_cell_distance(size_t lines);

/* The row in which the caller writes in the next step. Its first cell is for rank 0. The caller
   may write there whenever it may write in its slot. It marks each line of its cells, and then
   announces the step by window_announce, since a later step may go without cells. */
struct window_line *window_cells_next(const struct window *window);

/* Marks a line of the caller's row: its data are those of the next step. A reader looks at all
   its lines again and again. So the caller marks a line as soon as it has written the data:
   otherwise a reader could fetch the line in between, and the caller would have to get it back.
 */
static inline void window_mark(const struct window *window, struct window_line *line)
{
    atomic_store_explicit(&line->step, window->step + 1, memory_order_release);
}

/* Waits until all ranks have marked the lines of their cells for the caller in the step that
   the caller announced last. MPI makes progress meanwhile. The cells of all ranks have to have
   as many lines, or the caller waits for ever. Returns the cell of rank 0 for the caller. The
   cell of each next rank is in the next row. */
const struct window_line *window_await_cells(const struct window *window, size_t lines,
                                             MPI_Comm comm);

/* The slot of a peer in the step that the caller announced last; size as it was for
   window_next. */
const char *window_read(const struct window *window, int peer, size_t size);

/* The bytes from the slot of one peer to the slot of the next one. */
size_t window_distance(size_t size);

#endif

/* types.c - datatypes: questions whose answer may be an error, and types seen from elsewhere

   Errors of MPI's calls on datatypes alone go to the handler of MPI_COMM_WORLD: the program's.
   MPI_Pack_size is the one that names a communicator, and it looks at a type as closely as
   MPI_Alltoall does. So the library keeps a communicator of the process alone, without any
   attribute or handler of the program's, to ask on. */
#include "types.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "quiet.h"

static _Atomic(MPI_Comm) quiet = MPI_COMM_NULL;
static atomic_bool asked; /* for quiet, which is made once or never */

/* A predefined type that was usable. */
static _Atomic(MPI_Datatype) known = MPI_DATATYPE_NULL;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Displaced types that are kept, under the lock. MPI keeps what a type was made from as long as
   the type: the program may free its own meanwhile, but no other type gets the handle. */
enum { KEPT = 8 };
static struct entry {
    bool made;
    MPI_Datatype type, displaced;
    int users; /* threads between begin and end */
    uint64_t last_used;
} entries[KEPT];
static uint64_t clock_ticks;

/* No duplicate of MPI_COMM_SELF: that would run the program's copy callbacks. */
static MPI_Comm make_quiet(void)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler handler = quiet_begin(MPI_COMM_SELF);
    MPI_Group self;

    PMPI_Comm_group(MPI_COMM_SELF, &self);
    if (PMPI_Comm_create_group(MPI_COMM_SELF, self, 0, &comm) != MPI_SUCCESS)
        comm = MPI_COMM_NULL;
    PMPI_Group_free(&self);
    quiet_end(MPI_COMM_SELF, handler);
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

static MPI_Comm quiet_comm(void)
{
    int initialized = 0;

    if (atomic_load_explicit(&asked, memory_order_relaxed))
        return atomic_load_explicit(&quiet, memory_order_acquire);
    PMPI_Initialized(&initialized);
    if (!initialized || atomic_exchange(&asked, true))
        return MPI_COMM_NULL;
    MPI_Comm comm = make_quiet();
    atomic_store_explicit(&quiet, comm, memory_order_release);
    return comm;
}

static bool is_predefined(MPI_Datatype type)
{
    int num_ints, num_addresses, num_types, combiner = MPI_COMBINER_DUP;

    PMPI_Type_get_envelope(type, &num_ints, &num_addresses, &num_types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

bool types_are_usable(MPI_Datatype type)
{
    int size;

    /* A predefined type stays what it is; the handle of another may be a new one's next time.
     */
    if (type == atomic_load_explicit(&known, memory_order_relaxed))
        return true;
    MPI_Comm comm = quiet_comm();
    if (comm == MPI_COMM_NULL)
        return true;
    if (PMPI_Pack_size(0, type, comm, &size) != MPI_SUCCESS)
        return false;
    if (is_predefined(type))
        atomic_store_explicit(&known, type, memory_order_relaxed);
    return true;
}

static int make_displaced(MPI_Datatype type, MPI_Datatype *displaced)
{
    const int length = 1;
    const MPI_Aint displacement = -TYPES_DISPLACEMENT;

    int err = PMPI_Type_create_hindexed(1, &length, &displacement, type, displaced);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_commit(displaced);
    if (err != MPI_SUCCESS)
        PMPI_Type_free(displaced);
    return err;
}

static struct entry *find(MPI_Datatype displaced)
{
    for (int i = 0; i < KEPT; i++) {
        if (entries[i].displaced == displaced && entries[i].made)
            return &entries[i];
    }
    return NULL;
}

/* The entry of type, or the one that is the next to go; NULL where all are in use. */
static struct entry *entry_for(MPI_Datatype type)
{
    struct entry *oldest = NULL;

    for (int i = 0; i < KEPT; i++) {
        struct entry *entry = &entries[i];
        if (entry->made && entry->type == type)
            return entry;
        if (entry->users == 0 && (oldest == NULL || entry->last_used < oldest->last_used))
            oldest = entry;
    }
    return oldest;
}

static void empty(struct entry *entry)
{
    if (entry->made)
        PMPI_Type_free(&entry->displaced);
    entry->made = false;
}

static int begin(MPI_Datatype type, MPI_Datatype *displaced)
{
    struct entry *entry = entry_for(type);

    if (entry == NULL)
        return make_displaced(type, displaced);
    if (!entry->made || entry->type != type) {
        empty(entry);
        int err = make_displaced(type, &entry->displaced);
        if (err != MPI_SUCCESS)
            return err;
        entry->made = true;
        entry->type = type;
    }
    entry->users++;
    entry->last_used = ++clock_ticks;
    *displaced = entry->displaced;
    return MPI_SUCCESS;
}

/* The lock is held across calls of MPI that are local and run no callback of the library's. */
int types_displaced_begin(MPI_Datatype type, MPI_Datatype *displaced)
{
    pthread_mutex_lock(&lock);
    int err = begin(type, displaced);
    pthread_mutex_unlock(&lock);
    return err;
}

void types_displaced_end(MPI_Datatype displaced)
{
    pthread_mutex_lock(&lock);
    struct entry *entry = find(displaced);
    if (entry != NULL)
        entry->users--;
    else
        PMPI_Type_free(&displaced);
    pthread_mutex_unlock(&lock);
}

void types_close(void)
{
    MPI_Comm comm = atomic_exchange(&quiet, MPI_COMM_NULL);

    if (comm != MPI_COMM_NULL)
        PMPI_Comm_free(&comm);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT; i++)
        empty(&entries[i]);
    pthread_mutex_unlock(&lock);
}

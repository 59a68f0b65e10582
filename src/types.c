/* types.c - datatypes: questions whose answer may be an error, and types seen from elsewhere

   Errors of MPI's calls on datatypes alone go to the handler of MPI_COMM_WORLD: the program's.
   MPI_Pack_size is the one that names a communicator, and it looks at a type as closely as
   MPI_Alltoall does. So the library keeps a communicator of the process alone, without any
   attribute or handler of the program's, to ask on. */
#include "types.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "quiet.h"

static _Atomic(MPI_Comm) quiet = MPI_COMM_NULL;
static atomic_bool asked; /* for quiet, which is made once or never */

/* A predefined type that was usable. */
static _Atomic(MPI_Datatype) known = MPI_DATATYPE_NULL;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int key = MPI_KEYVAL_INVALID; /* of the displaced type at a type; under the lock */

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

/* A handle is an int here and a pointer there; an attribute's value holds either. */
_Static_assert(sizeof(MPI_Datatype) <= sizeof(void *), "a handle fits into a pointer");

static void *value_of(MPI_Datatype type)
{
    void *value = NULL;

    memcpy(&value, &type, sizeof type);
    return value;
}

static MPI_Datatype type_of(void *value)
{
    MPI_Datatype type;

    memcpy(&type, &value, sizeof type);
    return type;
}

static int on_delete(MPI_Datatype type, int keyval, void *value, void *extra)
{
    MPI_Datatype displaced = type_of(value);

    (void)type;
    (void)keyval;
    (void)extra;
    PMPI_Type_free(&displaced);
    return MPI_SUCCESS;
}

static int make_displaced(MPI_Datatype type, MPI_Datatype *displaced)
{
    const int length = 1;
    const MPI_Aint displacement = -TYPES_DISPLACEMENT;

    int err = PMPI_Type_create_hindexed(1, &length, &displacement, type, displaced);
    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_commit(displaced);
    if (err == MPI_SUCCESS)
        err = PMPI_Type_set_attr(type, key, value_of(*displaced));
    if (err != MPI_SUCCESS)
        PMPI_Type_free(displaced);
    return err;
}

/* No copying: the displaced type of a duplicate is its own. */
static int find_displaced(MPI_Datatype type, MPI_Datatype *displaced)
{
    void *value = NULL;
    int found = 0, err = MPI_SUCCESS;

    if (key == MPI_KEYVAL_INVALID)
        err = PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &key, NULL);
    if (err == MPI_SUCCESS)
        err = PMPI_Type_get_attr(type, key, &value, &found);
    if (err == MPI_SUCCESS && found)
        *displaced = type_of(value);
    else if (err == MPI_SUCCESS)
        err = make_displaced(type, displaced);
    return err;
}

/* The lock is held across calls of MPI that are local and run no callback of the program's: two
   threads must not give one type two attributes, of which MPI would free the first. */
int types_displaced(MPI_Datatype type, MPI_Datatype *displaced)
{
    pthread_mutex_lock(&lock);
    int err = find_displaced(type, displaced);
    pthread_mutex_unlock(&lock);
    return err;
}

void types_close(void)
{
    MPI_Comm comm = atomic_exchange(&quiet, MPI_COMM_NULL);

    if (comm != MPI_COMM_NULL)
        PMPI_Comm_free(&comm);
    pthread_mutex_lock(&lock);
    if (key != MPI_KEYVAL_INVALID)
        PMPI_Type_free_keyval(&key);
    pthread_mutex_unlock(&lock);
}

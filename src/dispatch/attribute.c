/* attribute.c - attribute key, and the clean-up at MPI_Finalize

   A communicator that is freed takes its attribute along, by MPI_Comm_free's hook or else by
   the delete callback. A communicator that the user never frees gets no callback. So
   MPI_Finalize's hook sweeps the registry, before other libraries' callbacks on MPI_COMM_SELF
   run: these may communicate, and come in another order on other ranks. If a call of
   MPI_Finalize goes past the hook, an attribute on MPI_COMM_SELF is the signal, which
   MPI_Finalize deletes first of all. (The one on MPI_COMM_WORLD comes too late in MPICH, and
   never in Open MPI from 5.0.1 on.) Programs of sessions alone have no MPI_COMM_SELF, but must
   free their communicators before the session can end. The key then goes with the last
   attribute, as it would not survive the session.

   An MPI may give the signal when it takes no more calls, as SimGrid does.

   The lock is never held across a call of MPI: MPI may hold one of its own while it runs the
   delete callback. */
#include "dispatch/attribute.h"

#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/freeing.h"
#include "dispatch/recent.h"
#include "dispatch/registry.h"
#include "dispatch/stock.h"
#include "mpi/datatypes.h"
#include "mpi/handles.h"
#include "mpi/quiet.h"
#include "process/process.h"

static atomic_int key = MPI_KEYVAL_INVALID;
/* A thread sets the signal on MPI_COMM_SELF, or has done so. */
static atomic_bool hooking;
/* The signal is set, and stays until MPI_Finalize. */
static atomic_bool hooked;
/* MPI takes no more calls: callbacks leave things as they are. */
static atomic_bool ended;

/* Guards the registry, and the number of threads that use the key while it might go. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pins;
/* The number of communicators in the registry whose attribute MPI could not keep. */
static atomic_int num_loose;

static void add_known(struct known *known)
{
    pthread_mutex_lock(&lock);
    registry_add(known);
    pthread_mutex_unlock(&lock);
}

static void remove_known(struct known *known)
{
    pthread_mutex_lock(&lock);
    registry_remove(known);
    pthread_mutex_unlock(&lock);
}

static void pin(void)
{
    pthread_mutex_lock(&lock);
    pins++;
    pthread_mutex_unlock(&lock);
}

struct known *attribute_known(MPI_Comm comm)
{
    if (!registry_may_have(comm))
        return NULL;
    pthread_mutex_lock(&lock);
    struct known *known = registry_find(comm);
    pthread_mutex_unlock(&lock);
    return known;
}

static void free_shared(int keyval, MPI_Comm own)
{
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&keyval);
    if (own != MPI_COMM_NULL)
        PMPI_Comm_free(&own);
}

/* In a program of sessions the key goes with the last attribute. What datatypes.c has made from
   a session's communicator goes when that communicator has no attribute, or none any more. */
static void unpin(void)
{
    int unused = MPI_KEYVAL_INVALID;
    MPI_Comm own = MPI_COMM_NULL;

    pthread_mutex_lock(&lock);
    pins--;
    if (pins == 0 && datatypes_session() != MPI_COMM_NULL &&
        (datatypes_are_retired() || registry_find(datatypes_session()) == NULL))
        own = datatypes_take();
    if (pins == 0 && registry_is_empty() && !atomic_load(&hooked))
        unused = atomic_exchange(&key, MPI_KEYVAL_INVALID);
    pthread_mutex_unlock(&lock);
    free_shared(unused, own);
}

bool attribute_begin_call(void)
{
    if (atomic_load_explicit(&hooked, memory_order_acquire))
        return false;
    pin();
    return true;
}

void attribute_end_call(bool pinned)
{
    if (pinned)
        unpin();
}

/* Takes what is known of a communicator out of the registry. Pins the key, and the communicator
   of datatypes.c, if one of the two may be freed when this attribute is gone. Returns whether
   it has pinned them. */
static bool remove_and_pin(struct known *known)
{
    bool pinned = !atomic_load(&hooked) || datatypes_session() != MPI_COMM_NULL;

    pthread_mutex_lock(&lock);
    registry_remove(known);
    if (pinned)
        pins++;
    pthread_mutex_unlock(&lock);
    return pinned;
}

/* MPI calls it with the communicator half gone: nothing of it but the handle is touched. Any
   return value but MPI_SUCCESS would keep MPI from freeing it. */
static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)extra;
    if (atomic_load(&ended))
        return MPI_SUCCESS;
    recent_forget();
    /* The stock takes the handle of the communicator away, which the registry needs. */
    bool pinned = remove_and_pin(value);
    handle_forget(handle_alone((handle)comm));
    datatypes_retire(comm);
    if (!stock_put(value))
        known_free(value);
    if (pinned)
        unpin();
    return MPI_SUCCESS;
}

/* Takes the next attribute to sweep out of the registry: whatever becomes of it, the sweep
   ends. All ranks free their toruses in the order of the names, as an MPI may wait for all
   ranks when it frees a communicator. Where none was built, nothing has to be freed in order.
   MPI_COMM_SELF may be in the midst of being taken apart: its attribute is left to MPI. */
static struct known *next_to_sweep(void)
{
    pthread_mutex_lock(&lock);
    struct known *next = registry_next_to_sweep();
    if (next != NULL)
        registry_remove(next);
    pthread_mutex_unlock(&lock);
    return next;
}

/* Returns false if MPI refuses: it takes no more calls, or a communicator has been freed past
   the hook. The program's error handlers do not hear of that. */
static bool sweep(void)
{
    struct known *known = next_to_sweep();
    bool swept = true;

    /* MPI may be another one than the library's, whose handles differ: nothing was made there.
     */
    if (known == NULL)
        return true;
    struct quiet world = quiet_begin(MPI_COMM_WORLD), self = quiet_begin(MPI_COMM_SELF);
    for (; known != NULL; known = next_to_sweep())
        swept = attribute_drop(known) && swept;
    quiet_end(self);
    quiet_end(world);
    return swept;
}

void attribute_close(void)
{
    process_close();
    recent_forget();
    if (atomic_load(&ended))
        return;
    if (!sweep()) {
        /* What is there then stays to the end of the process. */
        atomic_store(&ended, true);
        return;
    }
    stock_clear();
    known_free_kept();
    free_shared(atomic_exchange(&key, MPI_KEYVAL_INVALID), datatypes_take());
}

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    attribute_close();
    return MPI_SUCCESS;
}

static int set_quietly(MPI_Comm comm, int keyval, void *value)
{
    struct quiet quiet = quiet_begin(comm);
    int err = PMPI_Comm_set_attr(comm, keyval, value);

    quiet_end(quiet);
    return err;
}

static bool make_key(void)
{
    int made, none = MPI_KEYVAL_INVALID;

    if (atomic_load(&key) != MPI_KEYVAL_INVALID)
        return true;
    /* No copying: a duplicate must not share the dimension communicators. */
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &made, NULL) != MPI_SUCCESS)
        return false;
    if (!atomic_compare_exchange_strong(&key, &none, made))
        PMPI_Comm_free_keyval(&made); /* another thread was faster */
    return true;
}

static bool make_hook(void)
{
    int initialized = 0, signal;
    bool none = false;

    if (atomic_load(&hooking))
        return true;
    PMPI_Initialized(&initialized);
    if (!initialized || !atomic_compare_exchange_strong(&hooking, &none, true))
        return true;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &signal, NULL) !=
        MPI_SUCCESS) {
        atomic_store(&hooking, false);
        return false;
    }
    int err = set_quietly(MPI_COMM_SELF, signal, NULL);
    /* The attribute holds the key as long as it needs it. */
    PMPI_Comm_free_keyval(&signal);
    if (err == MPI_SUCCESS)
        atomic_store(&hooked, true);
    else
        atomic_store(&hooking, false);
    return err == MPI_SUCCESS;
}

/* Returns what only the registry knows of the communicator, or NULL. */
static struct known *find_loose(MPI_Comm comm)
{
    if (atomic_load_explicit(&num_loose, memory_order_relaxed) == 0)
        return NULL;
    struct known *known = attribute_known(comm);
    return known != NULL && known->loose ? known : NULL;
}

static int get(MPI_Comm comm, struct known **known)
{
    int keyval = atomic_load_explicit(&key, memory_order_acquire);
    int found = 0;
    void *value = NULL;

    *known = find_loose(comm);
    if (*known != NULL || keyval == MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    int err = PMPI_Comm_get_attr(comm, keyval, &value, &found);
    if (err == MPI_SUCCESS && found)
        *known = value;
    return err;
}

int attribute_find(MPI_Comm comm, struct known **known)
{
    bool pinned = attribute_begin_call();
    int err = get(comm, known);
    attribute_end_call(pinned);
    return err;
}

static bool may_keep(const struct known *known)
{
    return !process_is_closed() && !freeing_is(known->comm);
}

static bool keep(struct known *known)
{
    bool kept = false;

    bool pinned = attribute_begin_call();
    if (make_hook() && make_key()) {
        add_known(known);
        kept = set_quietly(known->comm, atomic_load(&key), known) == MPI_SUCCESS;
        if (kept)
            handle_remember(handle_alone((handle)known->comm));
        else
            remove_known(known);
    }
    attribute_end_call(pinned);
    return kept;
}

bool attribute_keep(struct known *known)
{
    return may_keep(known) && keep(known);
}

bool attribute_keep_somehow(struct known *known)
{
    if (!may_keep(known))
        return false;
    if (keep(known))
        return true;
    known->loose = true;
    atomic_fetch_add(&num_loose, 1);
    add_known(known);
    return true;
}

static void drop_loose(struct known *known)
{
    recent_forget();
    handle_forget(handle_alone((handle)known->comm));
    atomic_fetch_sub(&num_loose, 1);
    remove_known(known);
    known_free(known);
}

bool attribute_drop(struct known *known)
{
    if (known->loose) {
        drop_loose(known);
        return true;
    }
    return PMPI_Comm_delete_attr(known->comm, atomic_load(&key)) == MPI_SUCCESS;
}

/* The registry tells which handles are communicators with an attribute, where MPI would report
   an error. MPI_COMM_WORLD and MPI_COMM_SELF stay what they are: nobody can free them. */
void attribute_retire(MPI_Comm comm)
{
    if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
        return;
    struct known *known = attribute_known(comm);
    if (known != NULL)
        attribute_drop(known);
}

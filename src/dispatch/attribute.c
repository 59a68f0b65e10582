/* attribute.c - attribute key, list of all attributes, and the clean-up at MPI_Finalize

   A communicator that is freed takes its torus along by the delete callback. One that the user
   never frees gets no callback: the list is swept when MPI_Finalize is called, before other
   libraries' callbacks on MPI_COMM_SELF run, which may communicate, and in another order on
   other ranks. Where that call goes past the library, an attribute of its own on MPI_COMM_SELF,
   which MPI_Finalize deletes first of all, is the signal. (MPI_COMM_WORLD's comes too late in
   MPICH, and never in Open MPI from 5.0.1 on.) Programs of sessions alone have no
   MPI_COMM_SELF, but must free their communicators before the session can end; the key then
   goes with the last of them, as it would not survive the session.

   An MPI may give the signal when it takes no more calls, as SimGrid does.

   The lock is never held across a call of MPI: MPI may hold one of its own while it runs the
   delete callback. */
#include "dispatch/attribute.h"

#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/recent.h"
#include "mpi/datatypes.h"
#include "mpi/handles.h"
#include "mpi/quiet.h"
#include "process/process.h"
#include "process/storage.h"
#include "torus/torus.h"

static atomic_int key = MPI_KEYVAL_INVALID;
static atomic_bool hooked; /* the signal on MPI_COMM_SELF is set */
static atomic_bool ended;  /* MPI takes no more calls: callbacks leave things as they are */

/* What the calling thread frees. */
static THREAD_STORAGE MPI_Comm dying THREAD_MODEL = MPI_COMM_NULL;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct torus *list; /* all attributes; under the lock */
static int pins;           /* threads that use the key while it might go; under the lock */

static void link_torus(struct torus *torus)
{
    pthread_mutex_lock(&lock);
    torus->previous = NULL;
    torus->next = list;
    if (list != NULL)
        list->previous = torus;
    list = torus;
    pthread_mutex_unlock(&lock);
}

/* Under the lock. Of one that is not in the list, nothing. */
static void take_out(struct torus *torus)
{
    if (torus->previous != NULL)
        torus->previous->next = torus->next;
    else if (list == torus)
        list = torus->next;
    if (torus->next != NULL)
        torus->next->previous = torus->previous;
    torus->previous = torus->next = NULL;
}

static void unlink_torus(struct torus *torus)
{
    pthread_mutex_lock(&lock);
    take_out(torus);
    pthread_mutex_unlock(&lock);
}

static void pin(void)
{
    pthread_mutex_lock(&lock);
    pins++;
    pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static bool is_listed(MPI_Comm comm)
{
    for (const struct torus *torus = list; torus != NULL; torus = torus->next) {
        if (torus->comm == comm)
            return true;
    }
    return false;
}

static void free_shared(int keyval, MPI_Comm own)
{
    if (keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&keyval);
    if (own != MPI_COMM_NULL)
        PMPI_Comm_free(&own);
}

/* In a program of sessions the key goes with the last attribute. What types.c made from a
   session's communicator goes when that one has no attribute, or not any more. */
static void unpin(void)
{
    int unused = MPI_KEYVAL_INVALID;
    MPI_Comm own = MPI_COMM_NULL;

    pthread_mutex_lock(&lock);
    pins--;
    if (pins == 0 && datatypes_session() != MPI_COMM_NULL &&
        (datatypes_are_retired() || !is_listed(datatypes_session())))
        own = datatypes_take();
    if (pins == 0 && list == NULL && !atomic_load(&hooked))
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

/* MPI calls it with the communicator half gone: nothing of it but the handle is touched. Any
   return value but MPI_SUCCESS would keep MPI from freeing it. */
static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)extra;
    if (atomic_load(&ended))
        return MPI_SUCCESS;
    recent_forget();
    pin();
    handle_forget(comm);
    datatypes_retire(comm);
    unlink_torus(value);
    torus_free(value);
    unpin();
    return MPI_SUCCESS;
}

/* Takes the next attribute to sweep out of the list: whatever becomes of it, the sweep ends.
   All ranks sweep in the order of the names: an MPI may wait for all ranks where a communicator
   is freed. MPI_COMM_SELF may be in the midst of being taken apart: its own one is left to MPI.
 */
static struct torus *next_to_sweep(void)
{
    struct torus *least = NULL;

    pthread_mutex_lock(&lock);
    for (struct torus *torus = list; torus != NULL; torus = torus->next) {
        if (torus->comm != MPI_COMM_SELF && (least == NULL || torus->name < least->name))
            least = torus;
    }
    if (least != NULL)
        take_out(least);
    pthread_mutex_unlock(&lock);
    return least;
}

/* Returns false where MPI refuses: it takes no more calls, or a communicator has been freed
   past the hook. Errors on that go to handlers of the program's. */
static bool sweep(void)
{
    struct torus *torus = next_to_sweep();
    bool swept = true;

    /* MPI may be another one than ours, whose handles differ: nothing was made there. */
    if (torus == NULL)
        return true;
    MPI_Errhandler world = quiet_begin(MPI_COMM_WORLD), self = quiet_begin(MPI_COMM_SELF);
    for (; torus != NULL; torus = next_to_sweep())
        swept = attribute_drop(torus) && swept;
    quiet_end(MPI_COMM_SELF, self);
    quiet_end(MPI_COMM_WORLD, world);
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
    MPI_Errhandler handler = quiet_begin(comm);
    int err = PMPI_Comm_set_attr(comm, keyval, value);

    quiet_end(comm, handler);
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

    PMPI_Initialized(&initialized);
    if (!initialized || !atomic_compare_exchange_strong(&hooked, &none, true))
        return true;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &signal, NULL) !=
        MPI_SUCCESS) {
        atomic_store(&hooked, false);
        return false;
    }
    int err = set_quietly(MPI_COMM_SELF, signal, NULL);
    /* The attribute holds the key as long as it needs it. */
    PMPI_Comm_free_keyval(&signal);
    if (err != MPI_SUCCESS)
        atomic_store(&hooked, false);
    return err == MPI_SUCCESS;
}

static int get(MPI_Comm comm, struct torus **torus)
{
    int keyval = atomic_load_explicit(&key, memory_order_acquire);
    int found = 0;
    void *value = NULL;

    *torus = NULL;
    if (keyval == MPI_KEYVAL_INVALID)
        return MPI_SUCCESS;
    int err = PMPI_Comm_get_attr(comm, keyval, &value, &found);
    if (err == MPI_SUCCESS && found)
        *torus = value;
    return err;
}

int attribute_find(MPI_Comm comm, struct torus **torus)
{
    bool pinned = attribute_begin_call();
    int err = get(comm, torus);
    attribute_end_call(pinned);
    return err;
}

bool attribute_keep(struct torus *torus)
{
    bool kept = false;

    if (process_is_closed() || attribute_is_dying(torus->comm))
        return false;
    pin();
    if (make_hook() && make_key()) {
        link_torus(torus);
        kept = set_quietly(torus->comm, atomic_load(&key), torus) == MPI_SUCCESS;
        if (kept)
            handle_remember(torus->comm);
        else
            unlink_torus(torus);
    }
    unpin();
    return kept;
}

bool attribute_drop(struct torus *torus)
{
    return PMPI_Comm_delete_attr(torus->comm, atomic_load(&key)) == MPI_SUCCESS;
}

/* What is remembered of comm, by whichever thread, would go on through its torus. */
MPI_Comm attribute_begin_free(MPI_Comm comm)
{
    MPI_Comm outer = dying;

    recent_forget();
    /* These are never freed, and an error handler may leave the call for good. */
    if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        dying = comm;
    return outer;
}

void attribute_end_free(MPI_Comm outer)
{
    dying = outer;
}

bool attribute_is_dying(MPI_Comm comm)
{
    return comm == dying && comm != MPI_COMM_NULL;
}

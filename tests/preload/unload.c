/* unload.c - a program that does not use the library; it loads and unloads a plugin that does

   unload PLUGIN    the program closes PLUGIN before MPI_Finalize */
#include <dlfcn.h>

#include "../mpi_tap.h"

int main(int argc, char **argv)
{
    int (*run)(void) = NULL;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (plugin != NULL)
        *(void **)&run = dlsym(plugin, "plugin_run");
    if (run == NULL) {
        fprintf(stderr, "unload PLUGIN: %s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 99);
        return 99;
    }
    ok_all(run(), "the all-to-all of the plugin goes through the torus, and is right");
    ok_all(dlclose(plugin) == 0, "the program can close the plugin");
    ok_all(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) == NULL,
           "the plugin is no longer loaded after that");
    int status = mpi_tap_done(rank);
    MPI_Finalize();
    return status;
}

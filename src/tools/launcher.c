/* launcher.c - torus-a2a: runs a program with the library preloaded and its settings made */
#include "config.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../job.h"
#include "../settings.h"
#include "program.h"

#define LIBRARY_NAME "libtorus_a2a.so"

/* As env and nohup have them. */
enum { EXIT_USAGE = 2, EXIT_CANNOT_EXECUTE = 126, EXIT_NOT_FOUND = 127 };

/* Beyond the characters: these options have no short form. */
enum { KEY_INFO = 256, KEY_SETTING };

/* Where libraries may be: beside a launcher that has not been installed; in a tree moved as a
   whole, before another version that may be where this one was to go; and there. The first is
   that of one build, the others have a directory for each MPI. */
enum { PLACES = 3 };

/* A library that is there, for one MPI. */
struct library {
    char *path;
    char mpi[MPI_NAME_MAX]; /* the MPI it needs, a name such as libmpich.so.12 */
};

struct libraries {
    struct library *list;
    size_t num;
};

struct command {
    const char **value; /* per row of settings_table; NULL where the option is not given */
    char **program;     /* with its arguments, to the end of argv */
    bool info;
};

static _Noreturn void die_of_memory(void)
{
    fputs("torus-a2a: out of memory\n", stderr);
    exit(EXIT_CANNOT_EXECUTE);
}

static void *allocate(size_t number, size_t size)
{
    void *memory = calloc(number, size);

    if (memory == NULL)
        die_of_memory();
    return memory;
}

/* The caller frees the text. */
__attribute__((format(printf, 1, 2))) static char *format_text(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        die_of_memory();
    char *text = allocate((size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

static void set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        die_of_memory();
}

/* One line for the whole job. */
__attribute__((format(printf, 1, 2))) static void remark(const char *format, ...)
{
    va_list arguments;

    if (!job_is_rank_0())
        return;
    va_start(arguments, format);
    fputs("torus-a2a: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static void places_find(char *place[PLACES])
{
    char directory[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);

    directory[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(directory, '/');
    if (slash != NULL)
        *slash = '\0';
    char *parent = format_text("%s/..", directory);
    char *prefix = realpath(parent, NULL);
    place[0] = format_text("%s/.libs", directory);
    place[1] =
        format_text("%s/lib/torus-a2a", prefix == NULL || prefix[1] == '\0' ? "" : prefix);
    place[2] = format_text("%s", TORUS_A2A_PKGLIBDIR);
    free(prefix);
    free(parent);
}

static void places_free(char *place[PLACES])
{
    for (int i = 0; i < PLACES; i++)
        free(place[i]);
}

/* Adds those that a pattern names, in the order of their names. */
static void libraries_add(struct libraries *libraries, const char *pattern)
{
    glob_t found;

    if (glob(pattern, 0, NULL, &found) == 0) {
        libraries->list = allocate(found.gl_pathc, sizeof *libraries->list);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            struct library *library = &libraries->list[libraries->num];
            if (!library_inspect(found.gl_pathv[i], library->mpi))
                continue;
            library->path = format_text("%s", found.gl_pathv[i]);
            libraries->num++;
        }
    }
    globfree(&found);
}

/* Those of the first place that has any. */
static void libraries_find(struct libraries *libraries, char *const place[PLACES])
{
    *libraries = (struct libraries){0};
    for (int i = 0; i < PLACES && libraries->num == 0; i++) {
        char *pattern =
            format_text(i == 0 ? "%s/" LIBRARY_NAME : "%s/*/" LIBRARY_NAME, place[i]);
        free(libraries->list);
        libraries->list = NULL;
        libraries_add(libraries, pattern);
        free(pattern);
    }
}

static void libraries_free(struct libraries *libraries)
{
    for (size_t i = 0; i < libraries->num; i++)
        free(libraries->list[i].path);
    free(libraries->list);
}

/* The one for an MPI, or NULL. */
static const struct library *libraries_for(const struct libraries *libraries, const char *mpi)
{
    for (size_t i = 0; i < libraries->num; i++) {
        if (strcmp(libraries->list[i].mpi, mpi) == 0)
            return &libraries->list[i];
    }
    return NULL;
}

static bool is_served(const char *mpi, void *libraries)
{
    return libraries_for(libraries, mpi) != NULL;
}

/* For programs that do not tell, as Python, which loads its MPI late: the one for the MPI that
   has started the job, or else for the MPI that this launcher was built with. The same on all
   ranks. */
static const struct library *libraries_guess(const struct libraries *libraries)
{
    const char *flavour = NULL;

    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL)
        flavour = "/openmpi/" LIBRARY_NAME;
    else if (getenv("PMI_SIZE") != NULL)
        flavour = "/mpich/" LIBRARY_NAME;
    for (size_t i = 0; flavour != NULL && i < libraries->num; i++) {
        if (strstr(libraries->list[i].path, flavour) != NULL)
            return &libraries->list[i];
    }
    const struct library *own = libraries_for(libraries, TORUS_A2A_MPI_LIBRARY);
    return own != NULL ? own : &libraries->list[0];
}

static void info_setting(const struct setting *row, const char *option)
{
    struct settings scratch;
    char *name = format_text(SETTINGS_PREFIX "%s", row->name);
    const char *value = getenv(name);

    if (value == NULL)
        printf("%s=%s  [default]\n", name, row->default_value);
    else
        printf("%s=%s  [%s; default %s]\n", name, value,
               option != NULL ? "command line" : "environment", row->default_value);
    if (value != NULL && !row->parse(value, (char *)&scratch + row->field))
        printf("    invalid: not %s\n", row->allowed);
    printf("    %s\n", row->help);
    free(name);
}

static void info_warn(const char *line)
{
    fprintf(stderr, "torus-a2a: %s\n", line);
}

static void info_print(const struct command *command, char *const place[PLACES],
                       const struct libraries *libraries)
{
    struct settings settings;

    puts(PACKAGE_STRING);
    for (size_t i = 0; i < settings_table_size; i++)
        info_setting(&settings_table[i], command->value[i]);
    for (size_t i = 0; i < libraries->num; i++)
        printf("library: %s\nbuilt for: %s\n", libraries->list[i].path, libraries->list[i].mpi);
    if (libraries->num == 0)
        printf("library: " LIBRARY_NAME " not found in %s, %s or %s\nbuilt for: %s\n", place[0],
               place[1], place[2], TORUS_A2A_MPI_LIBRARY);
    fflush(stdout);
    settings_read(&settings, info_warn);
}

/* All that there are, in words, for the caller to free. */
static char *list_mpis(const struct libraries *libraries)
{
    char *text = format_text("%s", libraries->list[0].mpi);

    for (size_t i = 1; i < libraries->num; i++) {
        char *longer = format_text("%s and %s", text, libraries->list[i].mpi);
        free(text);
        text = longer;
    }
    return text;
}

static void remark_foreign(const char *file, const struct program *program,
                           const struct libraries *libraries)
{
    char *mpis = list_mpis(libraries);

    remark("%s links %s, but " LIBRARY_NAME " was built for %s: it runs without it", file,
           program->mpi, mpis);
    free(mpis);
}

/* What to preload, or NULL. All ranks must answer alike: one that alone runs without the
   library would wait for the others in another all-to-all than theirs. */
static const struct library *choose_library(const char *file, const struct libraries *libraries)
{
    struct program program;

    program_inspect(file, is_served, (void *)libraries, &program);
    if (program.kind == PROGRAM_STATIC)
        remark("%s is statically linked: the preload has no effect", file);
    else if (program.kind == PROGRAM_DYNAMIC && program.secure)
        remark("%s is setuid or setgid: the preload has no effect, the loader ignores it",
               file);
    else if (program.kind == PROGRAM_DYNAMIC && program.mpi[0] == '\0')
        remark("%s links no MPI library: the preload takes effect only if it loads one at run "
               "time, as Python does, or starts a program that does",
               file);
    if (program.mpi[0] == '\0')
        return libraries_guess(libraries);
    if (!is_served(program.mpi, (void *)libraries))
        remark_foreign(file, &program, libraries);
    return libraries_for(libraries, program.mpi);
}

static const char *preload_wanted(const char *file, char *const place[PLACES],
                                  const struct libraries *libraries)
{
    if (libraries->num == 0) {
        remark(LIBRARY_NAME " is not in %s, %s or %s: %s runs without it", place[0], place[1],
               place[2], file);
        return NULL;
    }
    const struct library *library = choose_library(file, libraries);
    if (library == NULL)
        return NULL;
    if (strpbrk(library->path, " :") != NULL) {
        remark("%s cannot be preloaded from a path with a blank or a colon: %s runs without it",
               library->path, file);
        return NULL;
    }
    return library->path;
}

/* Before what the user preloads: the first one to define a function is called. */
static void preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");

    if (others == NULL || others[0] == '\0') {
        set_variable("LD_PRELOAD", library);
        return;
    }
    char *all = format_text("%s:%s", library, others);
    set_variable("LD_PRELOAD", all);
    free(all);
}

static int launch(char **program, char *const place[PLACES], const struct libraries *libraries)
{
    const char *library = preload_wanted(program[0], place, libraries);

    if (library != NULL)
        preload(library);
    execvp(program[0], program);
    int error = errno;
    fprintf(stderr, "torus-a2a: %s: %s\n", program[0], strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

static void export_settings(const struct command *command)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        if (command->value[i] == NULL)
            continue;
        char *name = format_text(SETTINGS_PREFIX "%s", settings_table[i].name);
        set_variable(name, command->value[i]);
        free(name);
    }
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
    struct command *command = state->input;

    if (key >= KEY_SETTING && (size_t)(key - KEY_SETTING) < settings_table_size) {
        command->value[key - KEY_SETTING] = value;
        return 0;
    }
    switch (key) {
    case KEY_INFO:
        command->info = true;
        return 0;
    case ARGP_KEY_ARG:
        command->program = state->argv + state->next - 1;
        state->next = state->argc; /* the rest is the program's */
        return 0;
    case ARGP_KEY_END:
        if (command->program == NULL && !command->info)
            argp_error(state, "no program to run");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* MIN_PROCS becomes min-procs. */
static char *option_name(const struct setting *row)
{
    char *name = format_text("%s", row->name);

    for (char *c = name; *c != '\0'; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    return name;
}

/* One option per setting, --info, and an empty one that ends them. */
static struct argp_option *options_new(void)
{
    struct argp_option *options = allocate(settings_table_size + 2, sizeof *options);

    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        options[i].name = option_name(row);
        options[i].key = KEY_SETTING + (int)i;
        options[i].arg = row->value_name;
        options[i].doc = format_text("%s (default %s)", row->help, row->default_value);
    }
    options[settings_table_size] = (struct argp_option){
        .name = "info",
        .key = KEY_INFO,
        .doc = "print every setting with its value, where that comes from and what it means, "
               "and the library that would be preloaded",
        .group = -1,
    };
    return options;
}

static void options_free(struct argp_option *options)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        free((char *)options[i].name);
        free((char *)options[i].doc);
    }
    free(options);
}

static void command_read(struct command *command, int argc, char **argv)
{
    struct argp_option *options = options_new();
    const struct argp argp = {
        .options = options,
        .parser = parse_key,
        .args_doc = "PROGRAM [ARGUMENT...]",
        .doc = "Run PROGRAM with its MPI_Alltoall going through the torus, as in\n"
               "\n"
               "  mpiexec -n 64 torus-a2a --dims=8x8 ./app\n"
               "\v"
               "Each option sets the variable TORUS_A2A_... of its name for PROGRAM; see "
               "torus_a2a(7).",
    };

    argp_program_version = PACKAGE_STRING;
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, command);
    options_free(options);
}

int main(int argc, char **argv)
{
    struct command command = {.value = allocate(settings_table_size, sizeof *command.value)};
    struct libraries libraries;
    char *place[PLACES];
    int status = EXIT_SUCCESS;

    command_read(&command, argc, argv);
    export_settings(&command);
    places_find(place);
    libraries_find(&libraries, place);
    if (command.info)
        info_print(&command, place, &libraries);
    else
        status = launch(command.program, place, &libraries);
    libraries_free(&libraries);
    places_free(place);
    free(command.value);
    return status;
}

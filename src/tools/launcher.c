/* launcher.c - torus-a2a: runs a program with the library preloaded and its settings made */
#include "config.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../settings.h"
#include "program.h"

#define LIBRARY_NAME "libtorus_a2a.so"

/* As env and nohup have them. */
enum { EXIT_USAGE = 2, EXIT_CANNOT_EXECUTE = 126, EXIT_NOT_FOUND = 127 };

/* Beyond the characters: these options have no short form. */
enum { KEY_INFO = 256, KEY_SETTING };

/* Where the library may be: beside a launcher that has not been installed; in a tree moved as
   a whole, before another version that may be where this one was to go; and there. */
enum { PLACES = 3 };

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

/* Whether this is rank 0, or no launcher told a rank. */
static bool is_rank_0(void)
{
    static const char *const names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK",
                                        "SLURM_PROCID"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *rank = getenv(names[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

/* One line for the whole job. */
__attribute__((format(printf, 1, 2))) static void remark(const char *format, ...)
{
    va_list arguments;

    if (!is_rank_0())
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
    place[1] = format_text("%s/lib", prefix == NULL || prefix[1] == '\0' ? "" : prefix);
    place[2] = format_text("%s", TORUS_A2A_LIBDIR);
    free(prefix);
    free(parent);
}

static void places_free(char *place[PLACES])
{
    for (int i = 0; i < PLACES; i++)
        free(place[i]);
}

/* The library's path, for the caller to free, or NULL. */
static char *library_find(char *const place[PLACES])
{
    for (int i = 0; i < PLACES; i++) {
        char *path = format_text("%s/" LIBRARY_NAME, place[i]);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
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
                       const char *library)
{
    struct settings settings;

    puts(PACKAGE_STRING);
    for (size_t i = 0; i < settings_table_size; i++)
        info_setting(&settings_table[i], command->value[i]);
    if (library != NULL)
        printf("library: %s\n", library);
    else
        printf("library: " LIBRARY_NAME " not found in %s, %s or %s\n", place[0], place[1],
               place[2]);
    printf("built for: %s\n", TORUS_A2A_MPI_LIBRARY);
    fflush(stdout);
    settings_read(&settings, info_warn);
}

/* Whether to preload. All ranks must answer alike: one that alone runs without the library
   would wait for the others in another all-to-all than theirs. */
static bool preload_wanted(const char *file, char *const place[PLACES], const char *library)
{
    struct program program;

    if (library == NULL) {
        remark(LIBRARY_NAME " is not in %s, %s or %s: %s runs without it", place[0], place[1],
               place[2], file);
        return false;
    }
    if (strpbrk(library, " :") != NULL) {
        remark("%s cannot be preloaded from a path with a blank or a colon: %s runs without it",
               library, file);
        return false;
    }
    program_inspect(file, TORUS_A2A_MPI_LIBRARY, &program);
    if (program.kind == PROGRAM_STATIC) {
        remark("%s is statically linked: the preload has no effect", file);
    } else if (program.kind == PROGRAM_DYNAMIC && program.secure) {
        remark("%s is setuid or setgid: the preload has no effect, the loader ignores it",
               file);
    } else if (program.kind == PROGRAM_DYNAMIC && program.mpi[0] == '\0') {
        remark("%s links no MPI library: the preload takes effect only if it loads one at run "
               "time, as Python does, or starts a program that does",
               file);
    } else if (program.kind == PROGRAM_DYNAMIC &&
               strcmp(program.mpi, TORUS_A2A_MPI_LIBRARY) != 0) {
        remark("%s links %s, but " LIBRARY_NAME " was built for %s: it runs without it", file,
               program.mpi, TORUS_A2A_MPI_LIBRARY);
        return false;
    }
    return true;
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

static int launch(char **program, char *const place[PLACES], const char *library)
{
    if (preload_wanted(program[0], place, library))
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
    char *place[PLACES];
    int status = EXIT_SUCCESS;

    command_read(&command, argc, argv);
    export_settings(&command);
    places_find(place);
    char *library = library_find(place);
    if (command.info)
        info_print(&command, place, library);
    else
        status = launch(command.program, place, library);
    free(library);
    places_free(place);
    free(command.value);
    return status;
}

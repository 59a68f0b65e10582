/* launcher.c - torus-a2a: sets the settings and runs a program with the library preloaded */
#include "config.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "process/job.h"
#include "settings/settings.h"
#include "tools/launcher/libraries.h"
#include "tools/launcher/linked_mpi.h"
#include "tools/launcher/text.h"

/* The exit statuses besides EXIT_CANNOT_EXECUTE of text.h. env(1) and nohup(1) have the same.
 */
enum { EXIT_USAGE = 2, EXIT_NOT_FOUND = 127 };

/* Greater than every character, because these options have no short form. */
enum { KEY_HELP = '?', KEY_VERSION = 'V', KEY_INFO = 256, KEY_MPI, KEY_USAGE, KEY_SETTING };

/* What the command line says. */
struct command {
    /* The value of each row of settings_table, or NULL if the option was not given. */
    const char **value;
    /* The name of the build that the user asks for, or NULL. */
    const char *mpi;
    /* The program and its arguments; this is the end of argv. */
    char **program;
    /* The option right before the program, if its value is optional and was left out, or NULL.
     */
    const struct setting *bare;
    /* The user asks for the settings. */
    bool info;
};

static void set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0)
        die_of_memory();
}

/* Prints one line, on rank 0 only. */
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

/* The library may be missing on one machine alone, for example because a file system is not
   mounted there. The job then waits for ever, so each machine says so. */
static void remark_missing(const char *file, char *const place[PLACES])
{
    struct utsname machine;

    if (job_is_first_here() && uname(&machine) == 0)
        fprintf(stderr,
                "torus-a2a: " LIBRARY_NAME
                " is not in %s, %s or %s: %s runs without it on %s\n",
                place[0], place[1], place[2], file, machine.nodename);
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

static bool is_served(const char *mpi, void *libraries)
{
    return libraries_for(libraries, mpi) != NULL;
}

static void remark_foreign(const char *file, const char *does, const char *mpi,
                           const struct libraries *libraries)
{
    char *mpis = libraries_list(libraries, false, "", " and ");

    remark("%s %s %s, but " LIBRARY_NAME " was built for %s: the program runs without it", file,
           does, mpi, mpis);
    free(mpis);
}

static void remark_stranger(const char *file, const char *mpi)
{
    remark("%s links %s, but was started by %s: every rank is a job of its own, unless this "
           "launcher starts programs of other MPIs, too",
           file, mpi, starter_name(starter_of_job()));
}

static void remark_unknown(const char *file, const struct libraries *libraries)
{
    char *options = libraries_list(libraries, true, "--mpi=", " or ");

    remark("%s does not show which MPI it uses: it runs without " LIBRARY_NAME
           "; %s preloads one",
           file, options);
    free(options);
}

static void remark_unnamed(const char *name, const struct libraries *libraries)
{
    char *options = libraries_list(libraries, true, "--mpi=", " or ");

    remark("there is no library for --mpi=%s, only for %s", name, options);
    free(options);
}

/* What a program is known to start. The launcher does not see which programs such a program
   runs. */
enum starts { STARTS_NOTHING, STARTS_RANKS, STARTS_CONTAINER };

static enum starts starts_of(const char *file)
{
    static const struct {
        const char *name;
        enum starts starts;
    } starters[] = {
        {"mpiexec", STARTS_RANKS},
        {"mpirun", STARTS_RANKS},
        {"orterun", STARTS_RANKS},
        {"prterun", STARTS_RANKS},
        {"srun", STARTS_RANKS},
        {"apptainer", STARTS_CONTAINER},
        {"singularity", STARTS_CONTAINER},
        {"docker", STARTS_CONTAINER},
        {"podman", STARTS_CONTAINER},
        {"shifter", STARTS_CONTAINER},
        {"sarus", STARTS_CONTAINER},
        {"ch-run", STARTS_CONTAINER},
        {"enroot", STARTS_CONTAINER},
    };
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;

    for (size_t i = 0; i < sizeof starters / sizeof starters[0]; i++) {
        size_t length = strlen(starters[i].name);
        /* The name may be longer, such as mpirun.openmpi. strchr finds the end of the name,
         * too. */
        if (strncmp(name, starters[i].name, length) == 0 && strchr(".-_", name[length]) != NULL)
            return starters[i].starts;
    }
    return STARTS_NOTHING;
}

static void remark_starter(const char *file, const struct libraries *libraries)
{
    char *options = libraries_list(libraries, true, "--mpi=", " or ");

    if (starts_of(file) == STARTS_RANKS)
        remark("%s starts the ranks: put torus-a2a after it, right before the program; here no "
               "library is preloaded without %s",
               file, options);
    else
        remark("%s starts a container: install torus-a2a in the container, and put it right "
               "before the program; here no library is preloaded without %s",
               file, options);
    free(options);
}

/* Returns the library for a program that links no MPI: Python, for example, loads it at run
   time. The user may name the library. Otherwise it is the one for the MPI that started the
   job. If that is unknown, it is the one for the only MPI that has libraries. In all other
   cases there is none, because the library for a wrong MPI would end the program. */
static const struct library *guess_library(const char *file, const char *named,
                                           const struct libraries *libraries)
{
    enum job_starter starter = starter_of_job();
    bool several;

    if (named != NULL)
        return &libraries->list[0];
    if (starts_of(file) != STARTS_NOTHING)
        return NULL;
    if (starter != STARTER_UNKNOWN)
        return libraries_of(libraries, starter, &several);
    return libraries_have_one_mpi(libraries) ? &libraries->list[0] : NULL;
}

/* Says why no library is preloaded. */
static void remark_none(const char *file, const struct program *program,
                        const struct libraries *libraries)
{
    enum job_starter starter = starter_of_job();
    bool several = false;

    if (starter != STARTER_UNKNOWN)
        libraries_of(libraries, starter, &several);
    if (program->mpi[0] != '\0')
        remark_foreign(file, "links", program->mpi, libraries);
    else if (starts_of(file) != STARTS_NOTHING)
        remark_starter(file, libraries);
    else if (starter != STARTER_UNKNOWN && !several)
        remark_foreign(file, "was started by", starter_name(starter), libraries);
    else
        remark_unknown(file, libraries);
}

/* Says so on each rank that it concerns. errno has the reason. */
static _Noreturn void die_unseen(const char *file)
{
    const char *reason = strerror(errno);

    fprintf(stderr, "torus-a2a: %s cannot be looked at on this rank, %s: ", file, reason);
    fputs("the other ranks would wait for it\n", stderr);
    exit(EXIT_CANNOT_EXECUTE);
}

/* Returns the library to preload, or NULL. All ranks must get the same answer. A rank that
   alone runs without the library would call another all-to-all than its peers, and wait for
   them forever. */
static const struct library *choose_library(const char *file, const char *named,
                                            const struct libraries *libraries)
{
    struct program program;

    linked_mpi_of_program(file, is_served, (void *)libraries, &program);
    if (program.kind == PROGRAM_UNSEEN)
        die_unseen(file);
    const struct library *library = program.mpi[0] != '\0'
                                        ? libraries_for(libraries, program.mpi)
                                        : guess_library(file, named, libraries);
    if (library == NULL && starts_of(file) == STARTS_CONTAINER)
        remark_starter(file, libraries);
    else if (program.kind == PROGRAM_STATIC)
        remark("%s is statically linked: the preload has no effect", file);
    else if (program.kind == PROGRAM_DYNAMIC && program.secure)
        remark("%s is setuid or setgid, or has capabilities: the loader ignores the preload",
               file);
    else if (library == NULL)
        remark_none(file, &program, libraries);
    else if (program.kind == PROGRAM_DYNAMIC && program.mpi[0] == '\0' && named == NULL)
        remark("%s links no MPI library: the preload takes effect only if the program loads an "
               "MPI at run time, as Python does, or starts a program that uses one",
               file);
    else if (program.mpi[0] != '\0' && !starter_may_start(starter_of_job(), program.mpi))
        remark_stranger(file, program.mpi);
    return library;
}

static const char *preload_wanted(const char *file, const char *named,
                                  char *const place[PLACES], const struct libraries *libraries)
{
    if (libraries->num == 0) {
        remark_missing(file, place);
        return NULL;
    }
    const struct library *library = choose_library(file, named, libraries);
    if (library == NULL)
        return NULL;
    if (strpbrk(library->path, " :") != NULL) {
        remark("%s cannot be preloaded from a path with a blank or a colon: %s runs without it",
               library->path, file);
        return NULL;
    }
    return library->path;
}

/* Returns the length of the first name of a list if it is the runtime of AddressSanitizer, with
   what separates it from the next name. The runtime ends the program if it is not the first
   library. */
static size_t sanitizer_length(const char *list)
{
    size_t length = strcspn(list, ": ");
    const char *name = memrchr(list, '/', length);

    name = name == NULL ? list : name + 1;
    return strncmp(name, "libasan.", 8) == 0 ? length + strspn(&list[length], ": ") : 0;
}

/* The library stands before the libraries that the user preloads, because the loader takes the
   first library that defines a function. */
static void preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");

    if (others == NULL)
        others = "";
    size_t length = sanitizer_length(others);
    bool last = others[length] == '\0';
    char *all = format_text("%.*s%s%s%s%s", (int)length, others, length > 0 && last ? ":" : "",
                            library, last ? "" : ":", &others[length]);
    set_variable("LD_PRELOAD", all);
    free(all);
}

/* Becomes the program. Returns only if that fails, with the exit status. */
static int run(const char *file, char **arguments)
{
    execvp(file, arguments);
    int error = errno;
    fprintf(stderr, "torus-a2a: %s: %s\n", file, strerror(error));
    return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

/* Returns the name of an option: min-procs for MIN_PROCS. The caller frees it. */
static char *option_name(const struct setting *row)
{
    char *name = format_text("%s", row->name);

    for (char *c = name; *c != '\0'; c++)
        *c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
    return name;
}

/* A program that cannot be run may be the value of the option before it: the value of such an
   option begins after a sign. */
static void remark_value(const struct command *command)
{
    const struct setting *row = command->bare;
    struct settings scratch;

    if (row == NULL || !row->parse(command->program[0], (char *)&scratch + row->field))
        return;
    char *name = option_name(row);
    remark("if %s is the value of --%s, write --%s=%s", command->program[0], name, name,
           command->program[0]);
    free(name);
}

static int launch(const struct command *command, char *const place[PLACES],
                  const struct libraries *libraries)
{
    char **program = command->program;
    const char *library = preload_wanted(program[0], command->mpi, place, libraries);

    if (library != NULL)
        preload(library);
    int status = run(program[0], program);
    remark_value(command);
    return status;
}

/* Prints the reports that the command names. The program for that is beside this one, in the
   build directory and where both are installed. */
static int print_reports(const struct command *command)
{
    char *file = beside_launcher("torus-a2a-report");
    int status = run(file, command->program);

    free(file);
    return status;
}

/* Whether a value is one of those that a setting lists before FILE, as in off|FILE. */
static bool is_listed(const char *list, const char *value)
{
    size_t length = strlen(value);

    for (const char *end; (end = strchr(list, '|')) != NULL; list = end + 1) {
        if ((size_t)(end - list) == length && strncmp(list, value, length) == 0)
            return true;
    }
    return false;
}

/* The library opens a file when the program may be in another directory. So this function makes
   a name absolute. Returns NULL if the value stays as it is. The caller frees the result. A
   percent sign of the directory would mean something in the name of a report, so the report's
   name then stays. */
static char *absolute_name(const struct setting *row, const char *value)
{
    const char *last = strrchr(row->value_name, '|');
    struct settings scratch;
    void *field = (char *)&scratch + row->field;

    if (last == NULL || strcmp(last, "|FILE") != 0 || value[0] == '/' ||
        is_listed(row->value_name, value) || !row->parse(value, field))
        return NULL;
    char *here = getcwd(NULL, 0), *name = NULL;
    if (here != NULL && (row->parse != value_parse_report || strchr(here, '%') == NULL))
        name = format_text("%s/%s", here, value);
    free(here);
    if (name != NULL && !row->parse(name, field)) {
        free(name);
        name = NULL;
    }
    return name;
}

static void export_settings(const struct command *command)
{
    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        if (command->value[i] == NULL)
            continue;
        char *name = format_text(SETTINGS_PREFIX "%s", row->name);
        char *file = absolute_name(row, command->value[i]);
        set_variable(name, file != NULL ? file : command->value[i]);
        free(file);
        free(name);
    }
}

/* argp itself answers --help and --usage only where it reports errors, which is on rank 0. */
static _Noreturn void answer(const struct argp_state *state, unsigned form)
{
    if (job_is_rank_0() && form != 0)
        argp_help(state->root_argp, stdout, form, state->name);
    else if (job_is_rank_0())
        printf("%s\n", PACKAGE_STRING);
    exit(EXIT_SUCCESS);
}

static error_t parse_key(int key, char *value, struct argp_state *state)
{
    struct command *command = state->input;

    if (key >= KEY_SETTING && (size_t)(key - KEY_SETTING) < settings_table_size) {
        const struct setting *row = &settings_table[key - KEY_SETTING];
        command->value[key - KEY_SETTING] = value != NULL ? value : row->bare;
        command->bare = value == NULL ? row : NULL;
        return 0;
    }
    switch (key) {
    case KEY_HELP:
        answer(state, ARGP_HELP_STD_HELP);
    case KEY_USAGE:
        answer(state, ARGP_HELP_USAGE);
    case KEY_VERSION:
        answer(state, 0);
    case KEY_INFO:
        command->info = true;
        return 0;
    case KEY_MPI:
        command->mpi = value;
        command->bare = NULL;
        return 0;
    case ARGP_KEY_ARG:
        command->program = state->argv + state->next - 1;
        /* All arguments that follow belong to the program. */
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if ((command->program != NULL) != command->info)
            return 0;
        if (command->program == NULL)
            argp_error(state, "no program to run");
        else
            argp_error(state, "--info prints the settings and runs no program: leave out %s",
                       command->program[0]);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Returns one option for each setting, the options that are no settings, and an empty option
   that ends the list. */
static struct argp_option *options_new(void)
{
    static const struct argp_option others[] = {
        {.name = "mpi",
         .key = KEY_MPI,
         .arg = "NAME",
         .doc = "preload the library for this MPI, such as mpich or openmpi, if the program "
                "does not show which MPI it uses",
         .group = -2},
        {.name = "info",
         .key = KEY_INFO,
         .doc = "print every setting with its value, the source of the value and what the "
                "setting does, and print the libraries that may be preloaded",
         .group = -1},
        {.name = "help", .key = KEY_HELP, .doc = "Give this help list", .group = -1},
        {.name = "usage", .key = KEY_USAGE, .doc = "Give a short usage message", .group = -1},
        {.name = "version", .key = KEY_VERSION, .doc = "Print program version", .group = -1},
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    struct argp_option *options = allocate(settings_table_size + OTHERS + 1, sizeof *options);

    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        options[i].name = option_name(row);
        options[i].key = KEY_SETTING + (int)i;
        options[i].arg = row->value_name;
        options[i].flags = row->bare != NULL ? OPTION_ARG_OPTIONAL : 0;
        options[i].doc = format_text(
            "%s. Value: %s; default: %s%s%s", row->help, row->allowed, row->default_value,
            row->bare != NULL ? "; without a value: " : "", row->bare != NULL ? row->bare : "");
    }
    memcpy(&options[settings_table_size], others, sizeof others);
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
        .args_doc = "PROGRAM [ARGUMENT...]\nreport FILE...",
        .doc = "Run PROGRAM with the library preloaded, which carries out MPI_Alltoall, or "
               "print reports of --stats=FILE.json:\n"
               "\n"
               "  mpiexec -n 64 torus-a2a --dims=8x8 ./app\n"
               "\v"
               "Every other option sets the variable TORUS_A2A_... of the same name for "
               "PROGRAM; see "
               "torus_a2a(7).",
    };

    argp_err_exit_status = EXIT_USAGE;
    /* As a rule all ranks have the same command line, so rank 0 alone complains of it. */
    unsigned flags = ARGP_IN_ORDER | ARGP_NO_HELP | (job_is_rank_0() ? 0u : ARGP_NO_ERRS);
    if (argp_parse(&argp, argc, argv, flags, NULL, command) != 0)
        exit(EXIT_USAGE);
    options_free(options);
}

int main(int argc, char **argv)
{
    struct command command = {.value = allocate(settings_table_size, sizeof *command.value)};
    struct libraries libraries;
    char *place[PLACES];
    int status = EXIT_SUCCESS;

    command_read(&command, argc, argv);
    if (command.program != NULL && strcmp(command.program[0], "report") == 0)
        return print_reports(&command);
    export_settings(&command);
    places_find(place);
    libraries_find(&libraries, place);
    if (command.mpi != NULL && libraries.num > 0 && !libraries_keep(&libraries, command.mpi)) {
        remark_unnamed(command.mpi, &libraries);
        status = EXIT_USAGE;
    } else if (command.info)
        info_print(&command, place, &libraries);
    else
        status = launch(&command, place, &libraries);
    libraries_free(&libraries);
    places_free(place);
    free(command.value);
    return status;
}

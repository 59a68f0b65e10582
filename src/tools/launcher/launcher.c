/* launcher.c - torus-a2a: runs a program with the library preloaded and its settings made */
#include "config.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/job.h"
#include "settings/settings.h"
#include "tools/launcher/libraries.h"
#include "tools/launcher/linked_mpi.h"
#include "tools/launcher/text.h"

/* As env and nohup have them, and text.h. */
enum { EXIT_USAGE = 2, EXIT_NOT_FOUND = 127 };

/* Beyond the characters: these options have no short form. */
enum { KEY_INFO = 256, KEY_MPI, KEY_SETTING };

struct command {
    const char **value; /* per row of settings_table; NULL where the option is not given */
    const char *mpi;    /* the build that the user names, or NULL */
    char **program;     /* with its arguments, to the end of argv */
    bool info;
};

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

    remark("%s %s %s, but " LIBRARY_NAME " was built for %s: it runs without it", file, does,
           mpi, mpis);
    free(mpis);
}

static void remark_stranger(const char *file, const char *mpi)
{
    remark("%s links %s, but was started by %s: unless that starts programs of other MPIs as "
           "well, every rank is a job of its own",
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

static void remark_starter(const char *file, const struct libraries *libraries)
{
    char *options = libraries_list(libraries, true, "--mpi=", " or ");

    remark("%s starts the ranks: put torus-a2a after it, before the program; it runs "
           "without " LIBRARY_NAME "; %s preloads one all the same",
           file, options);
    free(options);
}

/* Whether a program is known to start the ranks of a job: what they run is not seen from here.
 */
static bool is_starter(const char *file)
{
    static const char *const starters[] = {"mpiexec", "mpirun", "orterun", "prterun", "srun"};
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;

    for (size_t i = 0; i < sizeof starters / sizeof starters[0]; i++) {
        size_t length = strlen(starters[i]);
        /* The name itself, or one as mpirun.openmpi. */
        if (strncmp(name, starters[i], length) == 0 && strchr(".-_", name[length]) != NULL)
            return true;
    }
    return false;
}

/* For programs that link no MPI, as Python, which loads it late: the library that the user
   names, or that for the MPI that started the job, or that for the only MPI there is one for.
   Otherwise none: the wrong one would end the program. */
static const struct library *guess_library(const char *file, const char *named,
                                           const struct libraries *libraries)
{
    enum job_starter starter = starter_of_job();
    bool several;

    if (named != NULL)
        return &libraries->list[0];
    if (is_starter(file))
        return NULL;
    if (starter != STARTER_UNKNOWN)
        return libraries_of(libraries, starter, &several);
    return libraries_have_one_mpi(libraries) ? &libraries->list[0] : NULL;
}

/* Why there is none to preload. */
static void remark_none(const char *file, const struct program *program,
                        const struct libraries *libraries)
{
    enum job_starter starter = starter_of_job();
    bool several = false;

    if (starter != STARTER_UNKNOWN)
        libraries_of(libraries, starter, &several);
    if (program->mpi[0] != '\0')
        remark_foreign(file, "links", program->mpi, libraries);
    else if (is_starter(file))
        remark_starter(file, libraries);
    else if (starter != STARTER_UNKNOWN && !several)
        remark_foreign(file, "was started by", starter_name(starter), libraries);
    else
        remark_unknown(file, libraries);
}

/* What to preload, or NULL. All ranks must answer alike: one that alone runs without the
   library would wait for the others in another all-to-all than theirs. */
static const struct library *choose_library(const char *file, const char *named,
                                            const struct libraries *libraries)
{
    struct program program;

    program_inspect(file, is_served, (void *)libraries, &program);
    const struct library *library = program.mpi[0] != '\0'
                                        ? libraries_for(libraries, program.mpi)
                                        : guess_library(file, named, libraries);
    if (program.kind == PROGRAM_STATIC)
        remark("%s is statically linked: the preload has no effect", file);
    else if (program.kind == PROGRAM_DYNAMIC && program.secure)
        remark("%s is setuid or setgid: the preload has no effect, the loader ignores it",
               file);
    else if (library == NULL)
        remark_none(file, &program, libraries);
    else if (program.kind == PROGRAM_DYNAMIC && program.mpi[0] == '\0' && named == NULL)
        remark("%s links no MPI library: the preload takes effect only if it loads one at run "
               "time, as Python does, or starts a program that does",
               file);
    else if (program.mpi[0] != '\0' && !starter_may_start(starter_of_job(), program.mpi))
        remark_stranger(file, program.mpi);
    return library;
}

static const char *preload_wanted(const char *file, const char *named,
                                  char *const place[PLACES], const struct libraries *libraries)
{
    if (libraries->num == 0) {
        remark(LIBRARY_NAME " is not in %s, %s or %s: %s runs without it", place[0], place[1],
               place[2], file);
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

static int launch(const struct command *command, char *const place[PLACES],
                  const struct libraries *libraries)
{
    char **program = command->program;
    const char *library = preload_wanted(program[0], command->mpi, place, libraries);

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
    case KEY_MPI:
        command->mpi = value;
        return 0;
    case ARGP_KEY_ARG:
        command->program = state->argv + state->next - 1;
        state->next = state->argc; /* the rest is the program's */
        return 0;
    case ARGP_KEY_END:
        if (command->program == NULL && !command->info)
            argp_error(state, "no program to run");
        if (command->program != NULL && command->info)
            argp_error(state, "--info runs no program");
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

/* One option per setting, --mpi, --info, and an empty one that ends them. */
static struct argp_option *options_new(void)
{
    struct argp_option *options = allocate(settings_table_size + 3, sizeof *options);

    for (size_t i = 0; i < settings_table_size; i++) {
        const struct setting *row = &settings_table[i];
        options[i].name = option_name(row);
        options[i].key = KEY_SETTING + (int)i;
        options[i].arg = row->value_name;
        options[i].doc = format_text("%s. Value: %s; default: %s", row->help, row->allowed,
                                     row->default_value);
    }
    options[settings_table_size] = (struct argp_option){
        .name = "mpi",
        .key = KEY_MPI,
        .arg = "NAME",
        .doc = "preload the library for this MPI, such as mpich or openmpi, where the program "
               "does not show which one it uses",
        .group = -2,
    };
    options[settings_table_size + 1] = (struct argp_option){
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
        .doc =
            "Run PROGRAM with its MPI_Alltoall going through the torus, as in\n"
            "\n"
            "  mpiexec -n 64 torus-a2a --dims=8x8 ./app\n"
            "\v"
            "Every other option sets the variable TORUS_A2A_... of its name for PROGRAM; see "
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

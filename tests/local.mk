# local.mk - the tests, part of Makefile.am
#
# Programs that print TAP are run as they are; those that need several ranks are launched by a
# .test script, through tests/mpirun.

unit_tests = tests/unit_settings tests/unit_factorization tests/unit_layout tests/unit_strided \
	tests/unit_strided_portable tests/unit_parking tests/unit_plan tests/unit_rounds \
	tests/unit_shm

mpi_programs = \
	tests/alltoall_cases \
	tests/alltoall_random \
	tests/errors \
	tests/failures \
	tests/finalize_order \
	tests/lifetime \
	tests/no_allocation \
	tests/rare \
	tests/sessions \
	tests/shm_progress \
	tests/threads

scripts = \
	tests/alltoall_cases.test \
	tests/alltoall_random.test \
	tests/bench.test \
	tests/cluster.test \
	tests/death.test \
	tests/device.test \
	tests/errors.test \
	tests/failures.test \
	tests/fuzz.test \
	tests/large.test \
	tests/launcher.test \
	tests/lifetime.test \
	tests/no_allocation.test \
	tests/nodes.test \
	tests/open_mpi.test \
	tests/preload.test \
	tests/rare.test \
	tests/settings.test \
	tests/shm.test \
	tests/surroundings.test \
	tests/symbols.test \
	tests/thread_sanitizer.test \
	tests/threads.test \
	tests/two_mpis.test \
	tests/unload.test \
	tests/valgrind.test \
	tests/wrong_mpi.test

# Debian's applications, with and without the library.
applications = tests/fftw.test tests/hpcc.test tests/mpi4py.test tests/pwscf.test

# Under SimGrid no program runs by itself, and no library is preloaded.
if SIMGRID
check_PROGRAMS = tests/simgrid tests/plain
TESTS = tests/simgrid.test
else
# rearrangement-in-calls is a measurement: built here, so that it goes on compiling.
check_PROGRAMS = $(unit_tests) $(mpi_programs) tests/plain tests/plain_with_tool \
	rearrangement-in-calls \
	tests/forms tests/large tests/surroundings tests/dlopen_mpi \
	tests/device tests/unit_device tests/unload
check_LTLIBRARIES = \
	tests/yield_when_idle.la \
	tests/finish_over_tcp.la \
	tests/real_time.la \
	tests/count_calls.la \
	tests/fail_calls.la \
	tests/gpu_mpi.la \
	tests/gpu_runtime.la \
	tests/plugin.la \
	tests/pmpi_tool.la
TESTS = $(unit_tests) $(scripts) $(applications)
endif

tests_unit_settings_SOURCES = tests/unit_settings.c tests/tap.h
tests_unit_settings_LDADD = libtorus_a2a_pure.la
tests_unit_factorization_SOURCES = tests/unit_factorization.c tests/tap.h
tests_unit_factorization_LDADD = libtorus_a2a_pure.la
tests_unit_layout_SOURCES = tests/unit_layout.c tests/tap.h
tests_unit_layout_LDADD = libtorus_a2a_pure.la
tests_unit_parking_SOURCES = tests/unit_parking.c tests/tap.h
tests_unit_parking_LDADD = libtorus_a2a_pure.la
# Exchanges of the test's own.
tests_unit_plan_SOURCES = tests/unit_plan.c tests/tap.h src/torus/plan.c
# No rank but the caller, and exchanges of the test's own.
tests_unit_rounds_SOURCES = tests/unit_rounds.c tests/tap.h src/torus/rounds.c
# A window of the test's own, and its own copying.
tests_unit_shm_SOURCES = tests/unit_shm.c tests/tap.h src/exchange/shm.c src/exchange/packed.c \
	src/exchange/piece.c
tests_unit_strided_SOURCES = tests/unit_strided.c tests/tap.h
tests_unit_strided_LDADD = libtorus_a2a_pure.la

# The same as for a processor without AVX2.
tests_unit_strided_portable_SOURCES = tests/unit_strided.c tests/tap.h src/copy/strided.c \
	src/copy/kernels.c

# Linked to the library as a user's program is. Not through Libtool's wrapper script: the
# preloads are for the program, not for a shell.
linked_ldflags = $(AM_LDFLAGS) -no-install
call_sources = tests/calls.c tests/calls.h tests/mpi_tap.h
tests_alltoall_cases_SOURCES = tests/alltoall_cases.c $(call_sources)
tests_alltoall_cases_LDADD = libtorus_a2a.la libtorus_a2a_pure.la
tests_alltoall_cases_LDFLAGS = $(linked_ldflags)
tests_alltoall_random_SOURCES = tests/alltoall_random.c $(call_sources)
tests_alltoall_random_LDADD = libtorus_a2a.la libtorus_a2a_pure.la
tests_alltoall_random_LDFLAGS = $(linked_ldflags)
tests_errors_SOURCES = tests/errors.c tests/mpi_tap.h tests/right.h
tests_errors_LDADD = libtorus_a2a.la
tests_errors_LDFLAGS = $(linked_ldflags)
tests_failures_SOURCES = tests/failures.c tests/mpi_tap.h tests/right.h
tests_failures_LDADD = libtorus_a2a.la
tests_failures_LDFLAGS = $(linked_ldflags)
tests_finalize_order_SOURCES = tests/finalize_order.c tests/mpi_tap.h tests/right.h
tests_finalize_order_LDADD = libtorus_a2a.la
tests_finalize_order_LDFLAGS = $(linked_ldflags)
tests_lifetime_SOURCES = tests/lifetime.c tests/mpi_tap.h tests/right.h
tests_lifetime_LDADD = libtorus_a2a.la
tests_lifetime_LDFLAGS = $(linked_ldflags)
tests_no_allocation_SOURCES = tests/no_allocation.c $(call_sources)
tests_no_allocation_LDADD = libtorus_a2a.la libtorus_a2a_pure.la
tests_no_allocation_LDFLAGS = $(linked_ldflags)
tests_rare_SOURCES = tests/rare.c tests/mpi_tap.h tests/right.h
tests_rare_LDADD = libtorus_a2a.la
tests_rare_LDFLAGS = $(linked_ldflags)
tests_sessions_SOURCES = tests/sessions.c tests/mpi_tap.h tests/right.h
tests_sessions_LDADD = libtorus_a2a.la
tests_sessions_LDFLAGS = $(linked_ldflags)
tests_shm_progress_SOURCES = tests/shm_progress.c tests/mpi_tap.h tests/right.h
tests_shm_progress_LDADD = libtorus_a2a.la
tests_shm_progress_LDFLAGS = $(linked_ldflags)
tests_threads_SOURCES = tests/threads.c tests/mpi_tap.h tests/right.h
tests_threads_LDADD = libtorus_a2a.la
tests_threads_LDFLAGS = $(linked_ldflags)

tests_simgrid_SOURCES = tests/simgrid.c tests/mpi_tap.h tests/right.h
tests_simgrid_LDADD = libtorus_a2a.la libtorus_a2a_pure.la

# These know nothing of the library, and the last not even of MPI, which the compiler adds.
tests_plain_SOURCES = tests/plain.c tests/right.h
if SIMGRID
tests_plain_LDADD = libtorus_a2a.la
endif
tests_forms_SOURCES = tests/forms.c tests/right.h
tests_plain_with_tool_SOURCES = tests/plain.c tests/pmpi_tool.c tests/right.h
tests_large_SOURCES = tests/large.c tests/mpi_tap.h
tests_surroundings_SOURCES = tests/surroundings.c tests/mpi_tap.h tests/right.h
tests_device_SOURCES = tests/device.c tests/gpu.h tests/mpi_tap.h
# Run by device.test, which has the runtimes for it.
tests_unit_device_SOURCES = tests/unit_device.c tests/gpu.h tests/tap.h src/mpi/device.c
tests_unload_SOURCES = tests/unload.c tests/mpi_tap.h
tests_dlopen_mpi_SOURCES = tests/dlopen_mpi.c
tests_dlopen_mpi_LDFLAGS = $(AM_LDFLAGS) -Wl,--as-needed

# FFTW's transforms need a program; it knows nothing of the library.
if HAVE_FFTW_MPI
check_PROGRAMS += tests/fftw
tests_fftw_SOURCES = tests/fftw.c
tests_fftw_LDADD = $(FFTW_MPI_LIBS)
endif

# Preloads; a path for installation is what makes Libtool build them shared. Sanitizers would
# want to be in every program that they are loaded into.
preload_cflags = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion
preload_ldflags = -module -avoid-version -shared -rpath /nowhere
tests_yield_when_idle_la_SOURCES = tests/yield_when_idle.c
tests_yield_when_idle_la_CFLAGS = $(preload_cflags)
tests_yield_when_idle_la_LDFLAGS = $(preload_ldflags) -Wl,--as-needed
tests_real_time_la_SOURCES = tests/real_time.c
tests_real_time_la_CFLAGS = $(preload_cflags)
tests_real_time_la_LDFLAGS = $(preload_ldflags) -Wl,--as-needed
tests_finish_over_tcp_la_SOURCES = tests/finish_over_tcp.c
tests_finish_over_tcp_la_CFLAGS = $(preload_cflags)
tests_finish_over_tcp_la_LDFLAGS = $(preload_ldflags) -Wl,--as-needed
tests_count_calls_la_SOURCES = tests/count_calls.c tests/from_library.h
tests_count_calls_la_CFLAGS = $(preload_cflags)
tests_count_calls_la_LDFLAGS = $(preload_ldflags)
tests_fail_calls_la_SOURCES = tests/fail_calls.c tests/from_library.h
tests_fail_calls_la_CFLAGS = $(preload_cflags)
tests_fail_calls_la_LDFLAGS = $(preload_ldflags)

tests_gpu_mpi_la_SOURCES = tests/gpu_mpi.c tests/gpu.h
tests_gpu_mpi_la_CFLAGS = $(preload_cflags)
tests_gpu_mpi_la_LDFLAGS = $(preload_ldflags)
tests_gpu_runtime_la_SOURCES = tests/gpu_runtime.c tests/gpu.h
tests_gpu_runtime_la_CFLAGS = $(preload_cflags)
tests_gpu_runtime_la_LDFLAGS = $(preload_ldflags) -Wl,--as-needed
# A program loads and unloads it.
tests_plugin_la_SOURCES = tests/plugin.c tests/right.h
tests_plugin_la_CFLAGS = $(preload_cflags)
tests_plugin_la_LDFLAGS = $(preload_ldflags)
tests_plugin_la_LIBADD = libtorus_a2a.la
tests_pmpi_tool_la_SOURCES = tests/pmpi_tool.c
tests_pmpi_tool_la_CFLAGS = $(preload_cflags)
tests_pmpi_tool_la_LDFLAGS = $(preload_ldflags)

fortran_sources = tests/fortran_mpif.f90 tests/fortran_mpi.f90 tests/fortran_f08.f90
if HAVE_MPIFC
if !SIMGRID
fortran_programs = tests/fortran_mpif tests/fortran_mpi tests/fortran_f08
check_DATA = $(fortran_programs)
CLEANFILES += $(fortran_programs)
tests/fortran_mpif: tests/fortran_mpif.f90
	$(AM_V_GEN)$(MKDIR_P) tests && $(MPIFC) $(ANY_TYPE_FLAG) $(FCFLAGS) -o $@ $(srcdir)/tests/fortran_mpif.f90
tests/fortran_mpi: tests/fortran_mpi.f90
	$(AM_V_GEN)$(MKDIR_P) tests && $(MPIFC) $(ANY_TYPE_FLAG) $(FCFLAGS) -o $@ $(srcdir)/tests/fortran_mpi.f90
tests/fortran_f08: tests/fortran_f08.f90
	$(AM_V_GEN)$(MKDIR_P) tests && $(MPIFC) $(ANY_TYPE_FLAG) $(FCFLAGS) -o $@ $(srcdir)/tests/fortran_f08.f90
endif
endif

EXTRA_DIST += $(scripts) tests/simgrid.test $(applications) $(fortran_sources) \
	tests/alltoall_mpi4py.py tests/mpirun tests/tap.sh tests/apps.sh tests/placements.sh \
	tests/linked.c tests/mpich.supp tests/openmpi.supp tests/lsan.supp tests/tsan.supp tests/fuzz

# Built by fuzz.test.
CLEANFILES += tests/fuzz_settings tests/fuzz_factorization
# For the table of scripts/check; tests/tap.sh writes them.
CLEANFILES += tests/*.rows

TEST_EXTENSIONS = .test
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_LOG_DRIVER = $(LOG_DRIVER)
AM_TESTS_ENVIRONMENT = \
	MPIEXEC='$(MPIEXEC)'; top_builddir='$(top_builddir)'; top_srcdir='$(top_srcdir)'; \
	CC='$(CC)'; export MPIEXEC top_builddir top_srcdir CC;
if SANITIZERS
# hwloc's plugin for PCI, where it is installed, leaks in MPI_Init, and is unloaded before the end:
# no suppression could name it.
AM_TESTS_ENVIRONMENT += \
	SANITIZERS=yes; HWLOC_COMPONENTS=-pci; \
	ASAN_OPTIONS=verify_asan_link_order=0:quarantine_size_mb=1; \
	LSAN_OPTIONS=suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0; \
	export SANITIZERS HWLOC_COMPONENTS ASAN_OPTIONS LSAN_OPTIONS;
endif

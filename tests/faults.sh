# faults.sh - faults of MPIs that tests have to leave out; tests/tap.sh reads it
#
# A fault is here only if tests/mpi/faults.test shows it without the library, except lost_status and lost_hosts, which
# are too rare.
# That test fails if an MPI of this list does not have the fault any more, or if another MPI has it.

# has_fault NAME: succeeds if the MPI of the tests is known to have this fault. In a build for the standard ABI
# the name of the MPI has ", ABI" at its end.
has_fault() {
    faults_mpi=$(mpi_name)
    ! is_abi || faults_mpi="$faults_mpi, ABI"
    case $1,$faults_mpi in
    # A call with an error returns MPI_SUCCESS after it has called the program's error handler.
    lost_error,'MPICH 5.0.'*) ;;
    # MPI_Alltoall gives MPI_ERR_IN_STATUS for a message that is too long.
    in_status,'MPICH 4.2.'* | in_status,'MPICH 5.0.'*) ;;
    # The text of an error class is the one of another class.
    other_text,'MPICH 5.0.'*', ABI') ;;
    # The algorithm k_brucks gives wrong data if blocks of a derived datatype lie between one another.
    interleaved,'MPICH 4.2.'* | interleaved,'MPICH 5.0.'*) ;;
    # MPI_Alltoall gives wrong data on 16 ranks or more if the types that are sent and received differ.
    two_types,'Open MPI 4.1.'*) ;;
    # MPI_Alltoall fails on 16 ranks or more if the type that is received has a negative extent.
    backwards,'Open MPI 4.1.'* | backwards,'Open MPI 5.0.'* | backwards,'Open MPI 6.0.'*) ;;
    # MPI_Neighbor_alltoallw crashes in a rank that has no neighbours, and no lists for them.
    no_neighbours,'MPICH 4.0.'*) ;;
    # MPI_Sendrecv divides by zero if a type has no data but an extent.
    empty_type,'MPICH 4.2.'* | empty_type,'MPICH 5.0.'*) ;;
    # If all earlier sessions have ended, MPI_Session_init crashes, or a new type cannot be freed.
    session_again,'MPICH 4.0.'* | session_again,'MPICH 4.2.'*) ;;
    # MPI_Comm_split_type with MPI_COMM_TYPE_SHARED gives each rank a communicator of its own on one machine.
    lonely_ranks,'MPICH 5.0.'*) ;;
    # MPI_Isend crashes if its receiver has died in the midst of a message to the sender.
    dead_peer,'MPICH 5.0.'*) ;;
    # Messages never arrive if several threads of a rank send at the same time (MPI_THREAD_MULTIPLE). With
    # OMPI_MCA_btl_sm_fbox_max=0 they do.
    lost_message,'Open MPI 6.0.'*) ;;
    # The launcher sometimes returns 0 although a rank was killed, or ended the program by MPI_Abort: after one of
    # some hundred jobs, with and without the library. That is too rare for faults.test.
    lost_status,'MPICH 4.2.'*) ;;
    # The launcher sometimes hangs, or loses the status, if ranks on two hosts fail at the same time.
    lost_hosts,'Open MPI 6.0.'*) ;;
    # With MPI_THREAD_MULTIPLE a call crashes if the program's error handler frees its communicator.
    freed_by_handler,'MPICH 4.0.'* | freed_by_handler,'MPICH 4.2.'* | freed_by_handler,'MPICH 5.0.'*) ;;
    # With MPI_THREAD_MULTIPLE the program is aborted if a handler that MPI_Comm_call_errhandler calls asks for a
    # handler.
    locked_handler,'MPICH 4.2.'* | locked_handler,'MPICH 5.0.'*) ;;
    # The launcher crashes if it is given several programs.
    several_programs,'Open MPI 5.0.'*) ;;
    *) return 1 ;;
    esac
}

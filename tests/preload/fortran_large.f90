! fortran_large.f90 - use mpi_f08: MPI_ALLTOALL with counts of the kind MPI_COUNT_KIND
program fortran_large
   use mpi_f08
   implicit none
   integer(MPI_COUNT_KIND), parameter :: none = 0, two = 2
   integer, allocatable :: out(:), in(:)
   integer :: rank, procs, i, ierr, wrong

   call MPI_INIT(ierr)
   call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
   call MPI_COMM_SIZE(MPI_COMM_WORLD, procs, ierr)
   allocate (out(2*procs), in(2*procs))
   out = [(1000*rank + i - 1, i=1, 2*procs)]
   wrong = 0

   in = -1
   call MPI_ALLTOALL(out, two, MPI_INTEGER, in, two, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call compare()

   in = out
   call MPI_ALLTOALL(MPI_IN_PLACE, none, MPI_INTEGER, in, two, MPI_INTEGER, MPI_COMM_WORLD)
   call compare()

   call MPI_FINALIZE(ierr)
   if (wrong > 0) stop 1

contains

   subroutine compare()
      integer :: peer
      do peer = 0, procs - 1
         if (any(in(2*peer + 1:2*peer + 2) /= 1000*peer + 2*rank + [0, 1])) wrong = wrong + 1
      end do
   end subroutine compare

end program fortran_large

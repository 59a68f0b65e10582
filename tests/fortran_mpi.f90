! fortran_mpi.f90 - use mpi: MPI_ALLTOALL with a send buffer and with MPI_IN_PLACE
program fortran_mpi
   use mpi
   implicit none
   integer, allocatable :: out(:), in(:)
   integer :: rank, procs, i, ierr, wrong

   call MPI_INIT(ierr)
   call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
   call MPI_COMM_SIZE(MPI_COMM_WORLD, procs, ierr)
   allocate (out(2*procs), in(2*procs))
   wrong = 0

   do i = 1, 2*procs
      out(i) = 1000*rank + i - 1
   end do
   in = -1
   call MPI_ALLTOALL(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call compare()

   in = out
   call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call compare()

   call MPI_FINALIZE(ierr)
   if (wrong > 0) stop 1

contains

   subroutine compare()
      integer :: peer
      do peer = 0, procs - 1
         if (in(2*peer + 1) /= 1000*peer + 2*rank) wrong = wrong + 1
         if (in(2*peer + 2) /= 1000*peer + 2*rank + 1) wrong = wrong + 1
      end do
   end subroutine compare

end program fortran_mpi

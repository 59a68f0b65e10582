! fortran_sections.f90 - use mpi_f08: MPI_ALLTOALL with sections of arrays, some of them not contiguous
!
! Rank 0 prints what has come, or the error, so that a run with the library can be compared with a run
! without it. MPIs differ in what they do with a section that is not contiguous. The program fails only if a
! contiguous section does not bring the right data.
program fortran_sections
   use mpi_f08
   implicit none
   integer, allocatable :: out(:, :), in(:, :)
   integer :: rank, procs, i, ierr, wrong

   call MPI_INIT(ierr)
   call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
   call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
   call MPI_COMM_SIZE(MPI_COMM_WORLD, procs, ierr)
   allocate (out(2, 0:2*procs + 1), in(2, 0:2*procs + 1))
   wrong = 0
   do i = 0, 2*procs + 1
      out(:, i) = [10000*rank + 10*i, 10000*rank + 10*i + 1]
   end do

   ! Contiguous: whole columns, and a part of one column with an allocatable array on the other side.
   in = -1
   call MPI_ALLTOALL(out(:, 1:procs), 2, MPI_INTEGER, in(:, 2:procs + 1), 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   do i = 0, procs - 1
      if (any(in(:, 2 + i) /= [10000*i + 10*(rank + 1), 10000*i + 10*(rank + 1) + 1])) wrong = wrong + 1
   end do
   call say('columns')

   in = -1
   call MPI_ALLTOALL(out(1:2, 1:procs), 1, MPI_2INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   do i = 0, procs - 1
      if (any(in(:, i) /= [10000*i + 10*(rank + 1), 10000*i + 10*(rank + 1) + 1])) wrong = wrong + 1
   end do
   call say('columns and an array')

   ! Not contiguous: rows, every other column, and both ends.
   in = -1
   call MPI_ALLTOALL(out(1, 1:procs), 1, MPI_INTEGER, in(1, 1:procs), 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call say('rows')

   in = -1
   call MPI_ALLTOALL(out(:, 1:2*procs:2), 2, MPI_INTEGER, in(:, 1:procs), 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call say('sends every other column')

   in = -1
   call MPI_ALLTOALL(out(:, 1:procs), 2, MPI_INTEGER, in(:, 1:2*procs:2), 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call say('receives every other column')

   ! Contiguous again.
   in = -1
   in(1, :) = out(1, :)
   call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, in(:, 0:procs - 1), 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   do i = 0, procs - 1
      if (any(in(:, i) /= [10000*i + 10*rank, -1])) wrong = wrong + 1
   end do
   call say('columns in place')

   call MPI_FINALIZE(ierr)
   if (wrong > 0) stop 1

contains

   subroutine say(what)
      character(*), intent(in) :: what
      integer :: kind
      if (rank > 0) return
      if (ierr == MPI_SUCCESS) then
         print '(2a, *(1x, i0))', what, ':', in
      else
         call MPI_ERROR_CLASS(ierr, kind)
         print '(2a, i0)', what, ': error ', kind
      end if
   end subroutine say

end program fortran_sections

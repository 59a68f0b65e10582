! fortran_f08.f90 - use mpi_f08: MPI_ALLTOALL with a send buffer, MPI_IN_PLACE and MPI_BOTTOM
program fortran_f08
   use mpi_f08
   implicit none
   integer, allocatable :: out(:), in(:)
   type(MPI_Datatype) :: there
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

   in = -1
   call make_type(out, there)
   call MPI_ALLTOALL(MPI_BOTTOM, 1, there, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
   call compare()
   call MPI_TYPE_FREE(there, ierr)

   in = -1
   call make_type(in, there)
   call MPI_ALLTOALL(out, 2, MPI_INTEGER, MPI_BOTTOM, 1, there, MPI_COMM_WORLD, ierr)
   call compare()

   in = out
   call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, MPI_BOTTOM, 1, there, MPI_COMM_WORLD, ierr)
   call compare()
   call MPI_TYPE_FREE(there, ierr)

   call MPI_FINALIZE(ierr)
   if (wrong > 0) stop 1

contains

   ! Two integers at the address of an array, the next two right after them.
   subroutine make_type(array, type)
      integer, intent(in) :: array(:)
      type(MPI_Datatype), intent(out) :: type
      type(MPI_Datatype) :: pair
      integer(MPI_ADDRESS_KIND) :: address, extent
      call MPI_GET_ADDRESS(array(1), address, ierr)
      call MPI_TYPE_CREATE_HINDEXED(1, [2], [address], MPI_INTEGER, pair, ierr)
      extent = 2*storage_size(array)/8
      call MPI_TYPE_CREATE_RESIZED(pair, address, extent, type, ierr)
      call MPI_TYPE_COMMIT(type, ierr)
      call MPI_TYPE_FREE(pair, ierr)
   end subroutine make_type

   subroutine compare()
      integer :: peer
      do peer = 0, procs - 1
         if (in(2*peer + 1) /= 1000*peer + 2*rank) wrong = wrong + 1
         if (in(2*peer + 2) /= 1000*peer + 2*rank + 1) wrong = wrong + 1
      end do
   end subroutine compare

end program fortran_f08

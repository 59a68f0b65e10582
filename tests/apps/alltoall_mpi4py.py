"""alltoall_mpi4py.py - calls Alltoall of mpi4py with several types of buffers, in place, and with
derived types

The program needs mpi4py, and does not need NumPy. Rank 0 prints for each case whether it is right on
all ranks. Then it prints how many calls of MPI_Alltoall each rank made.
"""

import array
import sys

COUNT = 5


def value(source, dest, item):
    return (source * 31 + dest * 7 + item) % 100


def outgoing(rank, size, count=COUNT):
    return [value(rank, dest, item) for dest in range(size) for item in range(count)]


def incoming(rank, size, count=COUNT):
    return [value(source, rank, item) for source in range(size) for item in range(count)]


def of_typecode(comm, mpi, typecode):
    """Gives mpi4py a buffer alone: mpi4py takes the datatype from the buffer."""
    rank, size = comm.rank, comm.size
    out = array.array(typecode, outgoing(rank, size))
    into = array.array(typecode, [0] * len(out))
    comm.Alltoall(out, into)
    return list(into) == incoming(rank, size) and list(out) == outgoing(rank, size)


def in_place(comm, mpi, typecode):
    buffer = array.array(typecode, outgoing(comm.rank, comm.size))
    comm.Alltoall(mpi.IN_PLACE, buffer)
    return list(buffer) == incoming(comm.rank, comm.size)


def explicit(comm, mpi):
    """Exchanges bytes in buffers that do not tell their type."""
    into = bytearray(COUNT * comm.size)
    comm.Alltoall([bytes(outgoing(comm.rank, comm.size)), COUNT, mpi.BYTE], [into, COUNT, mpi.BYTE])
    return list(into) == incoming(comm.rank, comm.size)


def different_types(comm, mpi):
    """Sends six ints to each rank as three pairs, and receives them as ints."""
    pair = mpi.INT.Create_contiguous(2).Commit()
    out = array.array("i", outgoing(comm.rank, comm.size, 6))
    into = array.array("i", [0] * len(out))
    comm.Alltoall([out, 3, pair], [into, 6, mpi.INT])
    pair.Free()
    return list(into) == incoming(comm.rank, comm.size, 6)


def columns(comm, mpi):
    """Sends rows, and receives them as the columns of a matrix. The type of a column is resized, so
    that the columns interleave."""
    rank, size = comm.rank, comm.size
    vector = mpi.DOUBLE.Create_vector(COUNT, 1, size)
    column = vector.Create_resized(0, mpi.DOUBLE.Get_size()).Commit()
    out = array.array("d", outgoing(rank, size))
    into = array.array("d", [0] * len(out))
    comm.Alltoall([out, COUNT, mpi.DOUBLE], [into, 1, column])
    column.Free()
    vector.Free()
    right = incoming(rank, size)
    return all(list(into[source::size]) == right[source * COUNT:(source + 1) * COUNT]
               for source in range(size))


def on_duplicate(comm, mpi):
    duplicate = comm.Dup()
    right = of_typecode(duplicate, mpi, "i")
    duplicate.Free()
    return right


def reversed_ranks(comm, mpi):
    other = comm.Split(0, comm.size - comm.rank)
    right = other.rank == comm.size - 1 - comm.rank and of_typecode(other, mpi, "h")
    other.Free()
    return right


def objects(comm, mpi):
    """Exchanges pickled objects. mpi4py sends their sizes by MPI_Alltoall, and the objects by
    MPI_Alltoallv."""
    into = comm.alltoall([{"from": comm.rank, "to": dest} for dest in range(comm.size)])
    return into == [{"from": source, "to": comm.rank} for source in range(comm.size)]


def main():
    before = [line for line in open("/proc/self/maps", encoding="ascii") if "libmpi" in line]
    # A program may load MPI as late as this.
    from mpi4py import MPI as mpi

    comm = mpi.COMM_WORLD
    cases = [("typecode " + code, of_typecode, code) for code in "bBhiqfd"]
    cases += [("in place " + code, in_place, code) for code in "bhid"]
    cases += [("bytes", explicit), ("different types", different_types), ("columns", columns),
              ("a duplicate", on_duplicate), ("reversed ranks", reversed_ranks),
              ("objects", objects)]
    failed = 0
    for name, function, *arguments in cases:
        right = comm.allreduce(function(comm, mpi, *arguments), op=mpi.LAND)
        failed += not right
        if comm.rank == 0:
            print(name + ": " + ("right" if right else "wrong"))
    if comm.rank == 0:
        print("MPI was there before:", "yes" if before else "no", file=sys.stderr)
        print(f"{len(cases)} calls")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

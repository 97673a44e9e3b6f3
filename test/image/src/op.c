#include "op.h"

#include <math.h>
#include <mpi.h>
#include <string.h>

const char *const op_names[OPS] = {"all_reduce", "all_gather", "reduce_scatter"};
const char *const op_redops[OPS] = {"sum", "none", "sum"};

int op_of(const char *program)
{
	const char *slash = strrchr(program, '/'), *base = slash ? slash + 1 : program;

	for (int op = 0; op < OPS; op++) {
		size_t n = strlen(op_names[op]);

		if (!strncmp(base, op_names[op], n) && (!strcmp(base + n, "_perf_mpi") || !strcmp(base + n, "_perf")))
			return op;
	}
	return -1;
}

size_t op_count(enum op op, int ranks, unsigned long long *bytes)
{
	size_t count = *bytes / sizeof(float);

	if (op != ALL_REDUCE)
		count = count / ranks / 4 * 4;
	*bytes = count * sizeof(float) * (op == ALL_REDUCE ? 1 : ranks);
	return count;
}

double op_bus_factor(enum op op, int ranks)
{
	double others = (ranks - 1.0) / ranks;

	return op == ALL_REDUCE ? 2 * others : others;
}

/* common is the part of element i that every rank sends alike; own is the rank's part. Both are small whole
 * numbers, so that a float holds the sum over a million ranks exactly and "equal" means equal. */
static float common(size_t i, unsigned salt) { return (i * 7 + salt) % 13; }
static float own(int rank) { return rank % 8; }

static float own_sum(int ranks)
{
	float sum = 0;

	for (int rank = 0; rank < ranks; rank++)
		sum += own(rank);
	return sum;
}

/* sent and received are how many elements a rank puts in and gets out. */
static size_t sent(enum op op, struct ranks r, size_t count) { return op == REDUCE_SCATTER ? count * r.n : count; }
static size_t received(enum op op, struct ranks r, size_t count) { return op == ALL_GATHER ? count * r.n : count; }

void op_fill(enum op op, struct ranks r, size_t count, int in_place, unsigned salt, struct buffers b)
{
	size_t n = sent(op, r, count), room = n > received(op, r, count) ? n : received(op, r, count);

	for (size_t i = 0; i < room; i++)
		b.recv[i] = NAN;
	for (size_t i = 0; i < n; i++)
		b.send[i] = common(i, salt) + own(r.self);
	if (in_place && n)
		memcpy(b.recv + (op == ALL_GATHER ? r.self * count : 0), b.send, n * sizeof(float));
}

void op_call(enum op op, struct ranks r, size_t count, int in_place, struct buffers b)
{
	const void *send = in_place ? MPI_IN_PLACE : b.send;

	(void)r;
	switch (op) {
	case ALL_REDUCE:
		MPI_Allreduce(send, b.recv, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case ALL_GATHER:
		MPI_Allgather(send, (int)count, MPI_FLOAT, b.recv, (int)count, MPI_FLOAT, MPI_COMM_WORLD);
		break;
	case REDUCE_SCATTER:
		MPI_Reduce_scatter_block(send, b.recv, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case OPS:
		break;
	}
}

void op_spoil(enum op op, struct ranks r, size_t count, struct buffers b)
{
	for (size_t i = 0; i < received(op, r, count); i += 97)
		b.recv[i] += 1;
}

unsigned long long op_wrong(enum op op, struct ranks r, size_t count, unsigned salt, struct buffers b)
{
	unsigned long long wrong = 0;
	float sum = own_sum(r.n);

	for (size_t i = 0; i < received(op, r, count); i++) {
		float want = 0;

		switch (op) {
		case ALL_REDUCE: want = r.n * common(i, salt) + sum; break;
		case ALL_GATHER: want = common(i % count, salt) + own((int)(i / count)); break;
		case REDUCE_SCATTER: want = r.n * common(r.self * count + i, salt) + sum; break;
		case OPS: break;
		}
		wrong += !(b.recv[i] == want); /* also counts NaN */
	}
	return wrong;
}

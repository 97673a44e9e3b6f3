/* A stand-in for nccl-tests on machines without a GPU: a real collective over floats through MPI, its result
 * checked element by element, its time measured, printed as nccl-tests 2.17 prints. Its name chooses the
 * collective: all_reduce_perf_mpi, all_gather_perf_mpi, reduce_scatter_perf_mpi.
 *
 * main: 1. options and faults  2. head of the table  3. for each size and placement: warm up, time, check,
 * print  4. foot; exit status 0, 1 after wrong values, 2 when asked for something it does not do.
 */
#include "fault.h"
#include "op.h"
#include "options.h"
#include "table.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct run {
	enum op op;
	struct options options;
	struct ranks ranks;
	struct buffers buffers;
	struct fault faults[FAULT_KINDS];
	unsigned salt;
};

static void call(struct run *run, size_t count, int in_place)
{
	const struct fault *slow = &run->faults[FAULT_SLOW];

	if (slow->on) {
		struct timespec pause = {slow->arg / 1000, (long)(slow->arg % 1000) * 1000000};

		nanosleep(&pause, NULL);
	}
	op_call(run->op, run->ranks, count, in_place, run->buffers);
}

static struct measure measure(struct run *run, size_t count, int in_place)
{
	struct measure m = {0, 0};
	unsigned long long wrong = 0;
	double start, mean;

	op_fill(run->op, run->ranks, count, in_place, run->salt++, run->buffers);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	for (unsigned long long i = 0; i < run->options.iters; i++)
		call(run, count, in_place);
	mean = (MPI_Wtime() - start) / run->options.iters;
	MPI_Allreduce(&mean, &m.seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	if (!run->options.check)
		return m;
	/* In place, each timed call ate the last one's result, so the call that is checked has data of its own. */
	op_fill(run->op, run->ranks, count, in_place, run->salt, run->buffers);
	call(run, count, in_place);
	if (run->faults[FAULT_WRONG].on)
		op_spoil(run->op, run->ranks, count, run->buffers);
	wrong = op_wrong(run->op, run->ranks, count, run->salt++, run->buffers);
	MPI_Allreduce(&wrong, &m.wrong, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
	return m;
}

/* fail_at carries out crash and hang once their size is reached. */
static void fail_at(const struct run *run, unsigned long long bytes)
{
	const struct fault *crash = &run->faults[FAULT_CRASH], *hang = &run->faults[FAULT_HANG];

	if (crash->on && bytes >= crash->arg) {
		char host[256] = "";

		gethostname(host, sizeof host - 1);
		printf("%s: Test NCCL failure collective.c:%d 'unhandled system error (fault crash of the test image) / '\n", host, __LINE__);
		printf(" .. %s pid %d: Test failure collective.c:%d\n", host, (int)getpid(), __LINE__);
		fflush(stdout);
		_exit(1);
	}
	if (hang->on && bytes >= hang->arg)
		for (;;)
			pause();
}

/* next is the size after bytes; above max_bytes when there is none. */
static unsigned long long next(const struct options *o, unsigned long long bytes)
{
	if (o->step_factor == 1)
		return bytes + o->step_bytes;
	return bytes && bytes <= o->max_bytes / o->step_factor ? bytes * o->step_factor : o->max_bytes + 1;
}

/* sweep runs every size and returns how many checks failed. */
static unsigned long long sweep(struct run *run)
{
	const struct options *o = &run->options;
	unsigned long long failed = 0, cells = 0, largest = o->max_bytes;
	double busbw = 0;
	size_t warm = op_count(run->op, run->ranks.n, &largest);

	op_fill(run->op, run->ranks, warm, 0, run->salt++, run->buffers);
	for (unsigned long long i = 0; i < o->warmup; i++)
		call(run, warm, 0);
	for (unsigned long long asked = o->min_bytes; asked <= o->max_bytes; asked = next(o, asked)) {
		unsigned long long bytes = asked;
		size_t count = op_count(run->op, run->ranks.n, &bytes);

		if (run->ranks.self == 0)
			table_row(run->op, bytes, count);
		fail_at(run, asked);
		for (int in_place = 0; in_place < 2; in_place++) {
			struct measure m = measure(run, count, in_place);

			failed += m.wrong > 0;
			cells++;
			if (run->ranks.self == 0)
				busbw += table_cells(run->op, o, run->ranks, bytes, m, in_place);
		}
	}
	if (run->ranks.self == 0)
		table_foot(run->op, failed, cells ? busbw / cells : 0);
	return failed;
}

/* prepare reads options and faults; non-zero is the exit status, -1 for --help. */
static int prepare(struct run *run, int argc, char **argv)
{
	int op = op_of(argv[0]), first = run->ranks.self == 0, status;
	const char *wrong;

	if (op < 0) {
		if (first)
			fprintf(stderr, "%s: the name must be all_reduce_perf_mpi, all_gather_perf_mpi or reduce_scatter_perf_mpi\n", argv[0]);
		return 2;
	}
	run->op = op;
	if ((status = options_parse(&run->options, argc, argv, first)))
		return status;
	wrong = fault_load(run->faults, run->ranks.self);
	for (int k = FAULT_CRASH; !wrong && k <= FAULT_HANG; k++)
		if (run->faults[k].on && run->faults[k].arg > run->options.max_bytes)
			wrong = "fault crash or hang is asked for at a size that is never reached";
	run->buffers.send = malloc(run->options.max_bytes + 1);
	run->buffers.recv = malloc(run->options.max_bytes + 1);
	if (!wrong && (!run->buffers.send || !run->buffers.recv))
		wrong = "no memory for the largest size";
	if (wrong) { /* may be so on this rank alone: the others must not wait for it */
		fprintf(stderr, "%s: rank %d: %s\n", argv[0], run->ranks.self, wrong);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct run run = {0};
	int status;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &run.ranks.self);
	MPI_Comm_size(MPI_COMM_WORLD, &run.ranks.n);
	status = prepare(&run, argc, argv);
	if (status == 0) {
		table_head(run.op, &run.options, run.ranks);
		status = sweep(&run) ? 1 : 0;
	}
	free(run.buffers.send);
	free(run.buffers.recv);
	MPI_Finalize();
	return status < 0 ? 0 : status;
}

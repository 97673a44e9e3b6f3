#include "table.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
	char host[256];
	int pid;
};

static void devices(struct ranks r)
{
	struct place here = {"", (int)getpid()}, *all = NULL;

	gethostname(here.host, sizeof here.host - 1);
	if (r.self == 0)
		all = calloc(r.n, sizeof *all);
	MPI_Gather(&here, sizeof here, MPI_BYTE, all, sizeof here, MPI_BYTE, 0, MPI_COMM_WORLD);
	for (int rank = 0; all && rank < r.n; rank++) {
		int device = 0;

		for (int earlier = 0; earlier < rank; earlier++)
			device += !strcmp(all[earlier].host, all[rank].host);
		printf("#  Rank %2d Group %2d Pid %6d on %10s device %2d [0000:00:00] CPU test image\n",
		       rank, 0, all[rank].pid, all[rank].host, device);
	}
	free(all);
}

void table_head(enum op op, const struct options *o, struct ranks r)
{
	if (r.self == 0) {
		printf("# nccl-tests version 2.17.7 nccl-headers=0 nccl-library=0\n");
		printf("# Collective test starting: %s_perf\n", op_names[op]);
		printf("# nThread 1 nGpus 1 minBytes %llu maxBytes %llu step: %llu(%s) warmup iters: %llu iters: %llu"
		       " agg iters: 1 validation: %d graph: 0\n#\n# Using devices\n",
		       o->min_bytes, o->max_bytes, o->step_factor > 1 ? o->step_factor : o->step_bytes,
		       o->step_factor > 1 ? "factor" : "bytes", o->warmup, o->iters, o->check);
	}
	devices(r);
	if (r.self != 0)
		return;
	printf("#\n");
	printf("#                                                              out-of-place                       in-place          \n");
	printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "size", "count", "type",
	       "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong");
	printf("# %10s  %12s  %8s  %6s  %6s  %7s  %6s  %6s  %6s  %7s  %6s  %6s  %6s\n", "(B)", "(elements)", "", "", "",
	       "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)", "");
	fflush(stdout);
}

void table_row(enum op op, unsigned long long bytes, size_t count)
{
	printf("%12llu  %12zu  %8s  %6s  %6d", bytes, count, "float", op_redops[op], -1);
	fflush(stdout);
}

/* cell prints with as many of two decimals as fit, then in the 1e+05 style, as 2.17.3 and later do. */
static void cell(int width, double value)
{
	char text[64];
	int decimals = 2;

	do
		snprintf(text, sizeof text, "%.*f", decimals, value);
	while ((int)strlen(text) > width && decimals-- > 0);
	if (decimals < 0)
		snprintf(text, sizeof text, "%.0e", value);
	printf("  %*s", width, text);
}

double table_cells(enum op op, const struct options *o, struct ranks r, unsigned long long bytes, struct measure m, int last)
{
	double algbw = m.seconds > 0 ? bytes / m.seconds / 1e9 : 0, busbw = algbw * op_bus_factor(op, r.n);

	cell(7, m.seconds * 1e6);
	cell(6, algbw);
	cell(6, busbw);
	if (o->check)
		printf("  %6g", (double)m.wrong);
	else
		printf("  %6s", "N/A");
	if (last)
		printf("\n");
	fflush(stdout);
	return busbw;
}

void table_foot(enum op op, unsigned long long failed_checks, double average_busbw)
{
	printf("# Out of bounds values : %llu %s\n", failed_checks, failed_checks ? "FAILED" : "OK");
	printf("# Avg bus bandwidth    : %g\n#\n", average_busbw);
	printf("# Collective test concluded: %s_perf\n", op_names[op]);
	fflush(stdout);
}

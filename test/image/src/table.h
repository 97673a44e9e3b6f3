/* The printed table, in the layout of nccl-tests 2.17. Only rank 0 prints. */
#ifndef SEATRIAL_TABLE_H
#define SEATRIAL_TABLE_H

#include "op.h"
#include "options.h"

/* measure is what one size gave in one placement. */
struct measure {
	double seconds;           /* a call: the slowest rank's mean */
	unsigned long long wrong; /* elements, over all ranks; without meaning when unchecked */
};

/* table_head takes part on every rank, since it tells where each rank runs. */
void table_head(enum op op, const struct options *o, struct ranks r);
void table_row(enum op op, unsigned long long bytes, size_t count);
/* table_cells ends its line when last is set. It returns the busbw that it printed, in GB/s (10^9). */
double table_cells(enum op op, const struct options *o, struct ranks r, unsigned long long bytes, struct measure m, int last);
void table_foot(enum op op, unsigned long long failed_checks, double average_busbw);

#endif

/* The collectives: what each sends, receives and must give. */
#ifndef SEATRIAL_OP_H
#define SEATRIAL_OP_H

#include <stddef.h>

enum op { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, OPS };

struct ranks {
	int self, n;
};

/* buffers hold room for one whole size each. */
struct buffers {
	float *send, *recv;
};

extern const char *const op_names[OPS];  /* as nccl-tests calls its programs, without _perf */
extern const char *const op_redops[OPS]; /* as its table has them */

/* op_of tells the collective from a program's path; -1 when its name is none of ours. */
int op_of(const char *program);

/* op_count is the table's count for a size in bytes, and *bytes becomes the size that this count really
 * moves: all_gather and reduce_scatter share a size among the ranks, in whole 16 bytes, so small ones are 0. */
size_t op_count(enum op op, int ranks, unsigned long long *bytes);

/* op_bus_factor turns algbw into busbw: the share of a link's traffic that the algorithm cannot avoid. */
double op_bus_factor(enum op op, int ranks);

/* op_fill sets what this rank sends, from a salt that no earlier call had, and spoils what it receives. */
void op_fill(enum op op, struct ranks r, size_t count, int in_place, unsigned salt, struct buffers b);

/* op_call runs the collective once. */
void op_call(enum op op, struct ranks r, size_t count, int in_place, struct buffers b);

/* op_spoil changes some received elements, as a faulty link would; none when there are none. */
void op_spoil(enum op op, struct ranks r, size_t count, struct buffers b);

/* op_wrong counts the received elements that are not what the ranks sent under that salt. */
unsigned long long op_wrong(enum op op, struct ranks r, size_t count, unsigned salt, struct buffers b);

#endif

/* The command line: the options of nccl-tests that make sense without a GPU, and the caps of the test image. */
#ifndef SEATRIAL_OPTIONS_H
#define SEATRIAL_OPTIONS_H

struct options {
	unsigned long long min_bytes, max_bytes, step_bytes; /* sizes; step_bytes counts when step_factor is 1 */
	unsigned long long step_factor;
	unsigned long long iters, warmup;                    /* calls a size and placement */
	int check;                                           /* compare every element of the result */
};

/* options_parse fills o from the command line, then lowers it to SEATRIAL_TEST_MAX_BYTES (1 MiB) and
 * SEATRIAL_TEST_MAX_ITERS (5): what is left is what runs, and what is printed. Where it returns non-zero it
 * is the exit status, -1 for --help; a complaint goes to stderr when say is set (one rank is enough). */
int options_parse(struct options *o, int argc, char **argv, int say);

#endif

/* Faults on request: what a test asks one node, or one rank, of the test image to do wrong.
 *
 * A fault list is `kind[=arg][@where]`, separated by commas or white space. It is read from
 *   1. the environment, SEATRIAL_TEST_FAULT, which `mpirun -x` carries to every rank, and
 *   2. the fault file of this host: the first that exists of $SEATRIAL_TEST_FAULT_FILE,
 *      /run/seatrial-test/fault, /etc/seatrial-test/fault. A test mounts it from one node, so that
 *      exactly that node is bad whatever runs on it.
 * @where limits a fault: `@rank:N` to that rank, `@file` to hosts that have a fault file (it may be
 * empty), anything else to processes whose host name, or whose SEATRIAL_TEST_NODE, is exactly that.
 */
#ifndef SEATRIAL_FAULT_H
#define SEATRIAL_FAULT_H

enum fault_kind { FAULT_SLOW, FAULT_WRONG, FAULT_CRASH, FAULT_HANG, FAULT_NOSSHD, FAULT_KINDS };

struct fault {
	int on;                 /* applies to this process */
	unsigned long long arg; /* slow: milliseconds a call; crash, hang: bytes; else unused */
};

/* fault_load fills faults for the process of that rank (-1: not a rank). It returns NULL, or what is
 * wrong with the list: a fault that nobody understands must not look like a healthy run. */
const char *fault_load(struct fault faults[FAULT_KINDS], int rank);

/* parse_size reads a number of bytes with an optional K, M, G or T (powers of 1024); 0 when it did. */
int parse_size(const char *text, unsigned long long *bytes);

#endif

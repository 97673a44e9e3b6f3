/* /usr/sbin/sshd of the test image: the real sshd, unless this host's faults say nosshd.
 *
 * The worker of an MPI run ends in `exec /usr/sbin/sshd -De`, so this is process 1 of its container.
 * Process 1 ignores every signal that it has no handler for: without one, a pod with a dead sshd would
 * sit out its whole grace period.
 */
#include "fault.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* The base name must stay sshd: PAM looks for a service of that name. The path must be absolute:
 * sshd executes itself again for each connection. */
#define REAL "/usr/lib/seatrial-test/sshd"

static void leave(int sig)
{
	(void)sig;
	_exit(0);
}

int main(int argc, char **argv)
{
	struct fault faults[FAULT_KINDS];
	const char *wrong = fault_load(faults, -1);

	(void)argc;
	if (wrong) {
		fprintf(stderr, "sshd of the test image: %s\n", wrong);
		return 2;
	}
	if (faults[FAULT_NOSSHD].on) {
		signal(SIGTERM, leave);
		signal(SIGINT, leave);
		fprintf(stderr, "sshd of the test image: fault nosshd: sshd is not started\n");
		for (;;)
			pause();
	}
	argv[0] = REAL;
	execv(REAL, argv);
	perror(REAL);
	return 127;
}

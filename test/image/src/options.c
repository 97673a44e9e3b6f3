#include "options.h"
#include "fault.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
	"usage: %s [options]\n"
	"  -b, --minbytes N      smallest size, with K, M or G (32M)\n"
	"  -e, --maxbytes N      largest size (32M)\n"
	"  -i, --stepbytes N     add this much from size to size (1M)\n"
	"  -f, --stepfactor N    or multiply by this\n"
	"  -n, --iters N         calls that are timed, a size and placement (20)\n"
	"  -w, --warmup_iters N  calls before, at the largest size (1)\n"
	"  -c, --check 0|1       compare every element of the result (1)\n"
	"  -g, --ngpus 1, -t, --nthreads 1\n"
	"A CPU stand-in for nccl-tests: sizes stop at $SEATRIAL_TEST_MAX_BYTES (1M), calls at $SEATRIAL_TEST_MAX_ITERS (5).\n";

static const struct option longs[] = {
	{"minbytes", required_argument, 0, 'b'},   {"maxbytes", required_argument, 0, 'e'},
	{"stepbytes", required_argument, 0, 'i'},  {"stepfactor", required_argument, 0, 'f'},
	{"iters", required_argument, 0, 'n'},      {"warmup_iters", required_argument, 0, 'w'},
	{"check", required_argument, 0, 'c'},      {"ngpus", required_argument, 0, 'g'},
	{"nthreads", required_argument, 0, 't'},   {"help", no_argument, 0, 'h'},
	{0, 0, 0, 0},
};

static int fail(int say, const char *what, const char *value)
{
	if (say)
		fprintf(stderr, "%s: \"%s\"; --help lists the options\n", what, value);
	return 2;
}

/* cap reads a limit of the test image from the environment. */
static int cap(const char *name, unsigned long long unset, unsigned long long *limit)
{
	const char *text = getenv(name);

	*limit = unset;
	return text && *text ? parse_size(text, limit) || *limit == 0 : 0;
}

static void lower(unsigned long long *value, unsigned long long limit)
{
	if (*value > limit)
		*value = limit;
}

int options_parse(struct options *o, int argc, char **argv, int say)
{
	unsigned long long max_bytes, max_iters, n;
	int c;

	*o = (struct options){32 << 20, 32 << 20, 1 << 20, 1, 20, 1, 1};
	opterr = 0;
	while ((c = getopt_long(argc, argv, "b:e:i:f:n:w:c:g:t:h", longs, NULL)) != -1) {
		if (c == 'h') {
			if (say)
				printf(usage, argv[0]);
			return -1;
		}
		if (c == '?')
			return fail(say, "option is unknown or has no value", argv[optind - 1]);
		if (parse_size(optarg, &n))
			return fail(say, "value is not a number, or a size with K, M or G", optarg);
		switch (c) {
		case 'b': o->min_bytes = n; break;
		case 'e': o->max_bytes = n; break;
		case 'i': o->step_bytes = n; break;
		case 'f': o->step_factor = n; break;
		case 'n': o->iters = n; break;
		case 'w': o->warmup = n; break;
		case 'c': o->check = n != 0; break;
		default:
			if (n != 1)
				return fail(say, "a rank of the test image has one thread and one device, not", optarg);
		}
	}
	if (optind < argc)
		return fail(say, "argument is not an option", argv[optind]);
	if (o->min_bytes > o->max_bytes)
		return fail(say, "the smallest size is above the largest", "-b -e");
	if (o->iters == 0 || o->step_factor == 0 || (o->step_factor == 1 && o->step_bytes == 0))
		return fail(say, "must not be 0", "-n -f -i");
	if (cap("SEATRIAL_TEST_MAX_BYTES", 1 << 20, &max_bytes) || max_bytes > 4ULL << 30) /* MPI counts elements in an int */
		return fail(say, "environment is not a size above 0 and at most 4G", "SEATRIAL_TEST_MAX_BYTES");
	if (cap("SEATRIAL_TEST_MAX_ITERS", 5, &max_iters))
		return fail(say, "environment is not a number above 0", "SEATRIAL_TEST_MAX_ITERS");
	lower(&o->min_bytes, max_bytes);
	lower(&o->max_bytes, max_bytes);
	lower(&o->iters, max_iters);
	lower(&o->warmup, max_iters);
	return 0;
}

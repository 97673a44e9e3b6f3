#include "fault.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LIST = 4096 };

static const struct {
	const char *name;
	unsigned long long arg; /* when none is given */
	int takes_arg;
} kinds[FAULT_KINDS] = {
	[FAULT_SLOW] = {"slow", 50, 1},
	[FAULT_WRONG] = {"wrong", 0, 0},
	[FAULT_CRASH] = {"crash", 0, 1},
	[FAULT_HANG] = {"hang", 0, 1},
	[FAULT_NOSSHD] = {"nosshd", 0, 0},
};

static char complaint[256];

int parse_size(const char *text, unsigned long long *bytes)
{
	char *end;
	int shift = 0;

	if (!isdigit((unsigned char)*text)) /* strtoull would take a sign and blanks */
		return -1;
	errno = 0;
	*bytes = strtoull(text, &end, 10);
	if (errno)
		return -1;
	switch (toupper((unsigned char)*end)) {
	case 'K': shift = 10; break;
	case 'M': shift = 20; break;
	case 'G': shift = 30; break;
	case 'T': shift = 40; break;
	}
	if (shift)
		end++;
	if (*end || *bytes > (~0ULL >> shift))
		return -1;
	*bytes <<= shift;
	return 0;
}

/* open_file opens the fault file of this host; NULL when it has none. */
static FILE *open_file(void)
{
	const char *paths[] = {getenv("SEATRIAL_TEST_FAULT_FILE"), "/run/seatrial-test/fault", "/etc/seatrial-test/fault"};

	for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
		FILE *f = paths[i] && *paths[i] ? fopen(paths[i], "r") : NULL;

		if (f)
			return f;
	}
	return NULL;
}

static int is_here(const char *where, int rank, int have_file)
{
	char host[256] = "";
	const char *node = getenv("SEATRIAL_TEST_NODE");

	if (!strncmp(where, "rank:", 5)) {
		char *end;
		long want = strtol(where + 5, &end, 10);

		return isdigit((unsigned char)where[5]) && !*end && want == rank;
	}
	if (!strcmp(where, "file"))
		return have_file;
	gethostname(host, sizeof host - 1);
	return !strcmp(where, host) || (node && !strcmp(where, node));
}

/* add reads one `kind[=arg][@where]`; the text is cut up. */
static const char *add(struct fault faults[FAULT_KINDS], char *item, int rank, int have_file)
{
	char *where = strchr(item, '@'), *arg;

	if (where)
		*where++ = 0;
	arg = strchr(item, '=');
	if (arg)
		*arg++ = 0;
	for (int k = 0; k < FAULT_KINDS; k++) {
		unsigned long long value = kinds[k].arg;

		if (strcmp(item, kinds[k].name))
			continue;
		if (arg && (!kinds[k].takes_arg || parse_size(arg, &value))) {
			snprintf(complaint, sizeof complaint, "fault %s: argument \"%.64s\" is not one it takes", item, arg);
			return complaint;
		}
		if (!where || is_here(where, rank, have_file))
			faults[k] = (struct fault){1, value};
		return NULL;
	}
	snprintf(complaint, sizeof complaint, "fault \"%.64s\" is not one of slow, wrong, crash, hang, nosshd", item);
	return complaint;
}

const char *fault_load(struct fault faults[FAULT_KINDS], int rank)
{
	char lists[2][MAX_LIST] = {"", ""};
	const char *env = getenv("SEATRIAL_TEST_FAULT");
	FILE *file = open_file();

	memset(faults, 0, FAULT_KINDS * sizeof *faults);
	if (env && strlen(env) >= MAX_LIST)
		return "SEATRIAL_TEST_FAULT is too long";
	if (env)
		strcpy(lists[0], env);
	if (file) {
		size_t n = fread(lists[1], 1, MAX_LIST - 1, file);
		int whole = !ferror(file) && fgetc(file) == EOF;

		lists[1][n] = 0;
		fclose(file);
		if (!whole)
			return "the fault file is too long or cannot be read";
	}
	for (int l = 0; l < 2; l++)
		for (char *item = strtok(lists[l], ", \t\r\n"); item; item = strtok(NULL, ", \t\r\n")) {
			const char *wrong = add(faults, item, rank, file != NULL);

			if (wrong)
				return wrong;
		}
	return NULL;
}

package parse

import "github.com/seed-95c1acfe/seatrial/api/v1alpha1"

// Bounds of a whole Log: the largest public run has 1,440 ranks, a sweep by steps a few thousand sizes. What goes beyond is
// not kept, and Truncated says so.
const (
	maxTests    = 256
	maxSizes    = 1 << 14
	maxDevices  = 1 << 16
	maxFailures = 256
	maxWrong    = 16
	maxText     = 512
)

// Log is what a text holds. Line numbers start at 1; 0 means that the line was not seen.
type Log struct {
	// Lines counts the lines, with a last one that has no end.
	Lines int
	// Tests are the benchmark runs in the log, in the order in which they began.
	Tests []Test
	// Failures are the messages that say what went wrong, in the order of the text, at most 256; the rest is in MoreFailures.
	Failures     []Failure
	MoreFailures int
	// Training is nil when no step of a training was seen.
	Training *Training
	// Events are what happened around the steps of a training, in the order of the text.
	Events []Event
	// RaisedLine is the last line in which a Python program raises an exception, or torchrun tells of a signal; 0 without one.
	// What ended such a program may lie in it as well as in its node.
	RaisedLine int
	// Raised is the first exception after the last step, and what torchrun says of its root cause.
	Raised Raised
	// Truncated: the log held more tests, sizes or devices than a Log keeps.
	Truncated bool
}

// Test is one run of a collective benchmark.
type Test struct {
	// Line is where the test began.
	Line int
	// Name is the collective, such as all_reduce; empty when the log does not say.
	Name string
	// StartLine and EndLine are the lines with which nccl-tests from 2.16.7 on announces a test and its end; 0 without.
	StartLine, EndLine int
	// Configs are the parameter lines: one for each process that believes to be the first.
	Configs []Config
	Devices []Device
	// Headers counts the table headers, the last of which is in HeaderLine.
	Headers, HeaderLine int
	Table               Table
	// BadRow is the line of the first row of the table that cannot be read, or that measured inf or nan; 0 without.
	BadRow int
	// Structured: its rows were read from JSON.
	Structured bool
	// Custom: its rows were read by an expression of the user's, so that it has no footer and no check.
	Custom bool
	// Processes is how long each took beside the others, in the order of the device list; empty without -I 1 -J.
	Processes []Process
	// Bounds and Average are the two lines of the footer; nil without.
	Bounds  *Bounds
	Average *Average
	// Repeats is a third, where the run was asked to repeat itself: the count of results that differed; nil without.
	Repeats *Bounds
}

// Config is the line with the parameters of a test.
type Config struct {
	Line int
	// Writer is the tag or label of the process that printed it, such as "[1,0]<stdout>:"; empty without one.
	Writer string
	// Threads and GPUs are per process; their product is the number of ranks of a process. 0 when not given.
	Threads, GPUs int
	// Sizes is how many message sizes the test goes through, by its smallest, largest and step; 0 when the line does not say.
	Sizes int
	// Validation is nil when the line does not say, and false with -c 0.
	Validation *bool
}

// Device is one line of the device list.
type Device struct {
	Line int
	Rank int
	// Group is the communicator's number, from 2.13.4 on; 0 before.
	Group int
	// Pid is 0 in the list of version 1.
	Pid  int
	Host string
}

// Bounds is the footer's count of failed checks.
type Bounds struct {
	Line  int
	Count int64
	OK    bool
}

// Average is the footer's mean bus bandwidth over all sizes and placements, GB/s.
type Average struct {
	Line int
	GBps float64
	// BelowMinimum: the tool's own gate (NCCL_TESTS_MIN_BW) said FAILED.
	BelowMinimum bool
}

// Strength ranks what a message proves about the reason of a failure.
type Strength uint8

// The strengths of a failure. A stronger one explains a weaker one, wherever they stand in the log.
const (
	// Echo: something else has failed before (a stack line, a lost peer, mpirun's summary).
	Echo Strength = iota + 1
	// Generic: a class of failure without its reason, such as 'unhandled cuda error'.
	Generic
	// Specific: the reason itself.
	Specific
)

// Failure is one message that says that something went wrong.
type Failure struct {
	Line int
	// Cause is empty for an Echo that gives none.
	Cause    v1alpha1.Cause
	Strength Strength
	// Host is the host or address that the message blames; empty when it names none.
	Host string
	// Text is the message without control characters, at most 512 bytes.
	Text string
	// Count is how often it was said of the same host.
	Count int
	// Warning: a library said so and went on; a test that ends well shows that it was overcome.
	Warning bool
	// Launch: it is about reaching the workers. A test or a training that begins later shows that it was overcome.
	Launch bool
	// Retry: another try may cure it, so that it is no proof against a node.
	Retry bool
}

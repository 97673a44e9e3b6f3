package v1alpha1

// Kind is what a log holds.
type Kind string

// The kinds of log. A log that is none of the others is KindUnknown.
const (
	KindBandwidth Kind = "bandwidth"
	KindTraining  Kind = "training"
	KindLaunch    Kind = "launch"
	KindUnknown   Kind = "unknown"
)

// LogScore is what one log says. A field that the log does not hold is nil or empty, never 0.
type LogScore struct {
	File    string  `json:"file"`
	Kind    Kind    `json:"kind"`
	Verdict Verdict `json:"verdict"`
	Cause   Cause   `json:"cause,omitempty"`
	// Reasons holds one sentence for each finding, the first real cause first.
	Reasons []string `json:"reasons"`
	// Nodes are the hosts or addresses that the log itself blames.
	Nodes []string `json:"nodes"`
	// Echo: the log tells of nothing but that something failed elsewhere before, as the others do when one process dies.
	Echo bool `json:"-"`
	// Raised: a program of the log ended by an exception of Python's, or by a signal from outside. Where nothing else explains it,
	// that speaks of the program as much as of the node.
	Raised bool `json:"-"`
	// RaisedText is what the log says of that, and RaisedHost where it names the host; empty where it does not.
	RaisedText string     `json:"-"`
	RaisedHost string     `json:"-"`
	Bandwidth  *Bandwidth `json:"bandwidth,omitempty"`
	Training   *Training  `json:"training,omitempty"`
}

// Bandwidth is what a collective benchmark measured. Bandwidths are GB/s, 10^9 bytes per second.
type Bandwidth struct {
	// Test is the collective: all_reduce, all_gather, reduce_scatter, …; empty when the log does not say.
	Test string `json:"test,omitempty"`
	// Ranks is nil when the log does not say, or says two things.
	Ranks *int `json:"ranks"`
	// RanksProblem says how the device list and the bandwidths contradict each other; empty when they do not.
	RanksProblem string `json:"ranksProblem,omitempty"`
	// PeakBusGBps is the best bus bandwidth over sizes and placements; nil without a whole row.
	PeakBusGBps   *float64 `json:"peakBusGBps"`
	PeakSizeBytes *int64   `json:"peakSizeBytes"`
	// AvgBusGBps is the number that the footer printed.
	AvgBusGBps *float64 `json:"avgBusGBps"`
	// Wrong counts wrong values over all rows; nil when the run did not check.
	Wrong *int64 `json:"wrong"`
	// Checked: the run compared its results with what they must be.
	Checked bool `json:"checked"`
	// Complete: the table has its whole footer, and every row in it could be read.
	Complete bool `json:"complete"`
	// Custom: rows were read by a profile of the user's own. Nothing says whether they are checked or all there.
	Custom bool `json:"custom,omitempty"`
	// BusBandwidthGBps and AlgBandwidthGBps are what a threshold sees: the maximum over sizes of the per-size mean,
	// out-of-place where it exists (the rule of the Cluster Readiness Engine).
	BusBandwidthGBps *float64 `json:"busBandwidthGBps"`
	AlgBandwidthGBps *float64 `json:"algBandwidthGBps"`
	// LargestSizeBusGBps is the bus bandwidth at the largest size, by the same rule.
	LargestSizeBusGBps *float64        `json:"largestSizeBusGBps"`
	Results            []BandwidthSize `json:"results"`
	// Stragglers are the processes that took longer than the others, the slowest first; empty when none did, or when the log does
	// not tell processes apart, as only the JSON of nccl-tests does (-I 1 -J). They are a hint and prove nothing.
	Stragglers []Straggler `json:"stragglers,omitempty"`
}

// Straggler is a process of a benchmark that took longer than the others.
type Straggler struct {
	// Process counts from 0 in the order of the device list. Host is empty when the list does not name it.
	Process int    `json:"process"`
	Host    string `json:"host,omitempty"`
	// Ratio is its time through that of the median process, the mean over the placements of all sizes; WorstRatio is the largest,
	// at WorstSizeBytes.
	Ratio          float64 `json:"ratio"`
	WorstRatio     float64 `json:"worstRatio"`
	WorstSizeBytes int64   `json:"worstSizeBytes"`
}

// BandwidthSize is one message size, the mean over its rows.
type BandwidthSize struct {
	SizeBytes  int64      `json:"sizeBytes"`
	DType      string     `json:"dtype,omitempty"`
	RedOp      string     `json:"redop,omitempty"`
	OutOfPlace *Placement `json:"outOfPlace,omitempty"`
	InPlace    *Placement `json:"inPlace,omitempty"`
	// Samples is the number of rows that the means are over.
	Samples int `json:"samples"`
}

// Placement is one half of a row. Times are µs as the tool prints them, bandwidths GB/s (10^9 bytes per second).
type Placement struct {
	TimeUs  float64 `json:"timeUs"`
	AlgGBps float64 `json:"algGBps"`
	BusGBps float64 `json:"busGBps"`
	// Wrong counts wrong values; nil when the row was not checked.
	Wrong *int64 `json:"wrong"`
	// Iterations is nil when the log does not tell of single iterations.
	Iterations *Iterations `json:"iterations,omitempty"`
}

// Iterations is how far apart the single iterations of a placement lie, in µs, as nccl-tests tells with -I 1. The time of an
// iteration is that of the process that took longest. Over several rows each is the worst of them.
type Iterations struct {
	MinUs     float64 `json:"minUs"`
	MaxUs     float64 `json:"maxUs"`
	P99Us     float64 `json:"p99Us"`
	CVPercent float64 `json:"cvPercent"`
}

// Training is what a training log says about its steps.
type Training struct {
	// Steps holds the first and the last step seen; empty when there was none.
	Steps          []int     `json:"steps"`
	StepTimesSec   []float64 `json:"stepTimesSec"`
	TFLOPsPerGPU   []float64 `json:"tflopsPerGPU"`
	AvgStepTimeSec *float64  `json:"avgStepTimeSec"`
	// AvgTFLOPsPerGPU is TFLOP/s for each GPU, the mean over the run; nil when no step tells of it.
	AvgTFLOPsPerGPU *float64 `json:"avgTFLOPsPerGPU,omitempty"`
	// MoreSteps counts the steps that the lists leave out, of those before the last; the averages have them.
	MoreSteps int `json:"moreSteps,omitempty"`
	// AvgProblem says why there is no average although steps were timed; empty otherwise.
	AvgProblem   string   `json:"avgProblem,omitempty"`
	GoodputRatio *float64 `json:"goodputRatio"`
	// GoodputProblem says why there is no goodput although there were steps; empty otherwise.
	GoodputProblem string `json:"goodputProblem,omitempty"`
	// LossLast is nil when the last loss was no number.
	LossLast *float64 `json:"lossLast"`
	// Drift is the relative growth of the step time over the run: 0.02 is two per cent slower at the end.
	Drift *float64 `json:"drift"`
}

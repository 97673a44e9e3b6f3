package parse

// The words that decide who reads a line.
const (
	// Facts around a table.
	configLine signals = 1 << iota
	deviceLine
	headerLine
	boundsLine
	averageLine
	repeatsLine
	startLine
	endLine

	// Who reports a failure.
	testFailure // nccl-tests' own stack
	libFailure  // nccl-tests about a call of a library; NCCL about CUDA
	testTimeout
	ncclWarning
	watchdog
	cudaMessage  // PyTorch and the CUDA runtime
	kernelKill   // and what else the kernel's log says
	storeTimeout // torchrun's processes do not meet

	// What failed; read together with a reporter only.
	notInitialized
	outOfMemory
	cudaFault
	cudaClass
	ibFault
	unreachable
	rendezvous
	resources
	refused
	timedOut
	lostPeer
	systemClass

	// Reaching the workers.
	resolve
	denied
	throttled
	waiting
	sshConnect
	noDaemon // and what mpirun says of it
	jobAbort
	ending // what a shell or a crashing process says of an end
	slurm  // what Slurm's srun and slurmstepd say of a step that ends

	// A program ended by an error or a signal that says nothing of its node.
	raisedWord

	// Steps of a training.
	megatronStep
	titanStep
	nanoStep
	nemoStep
	maxtextStep
	bridgeStep
	deepspeedStep
	trainerStep // Hugging Face's

	// What happens around the steps.
	lifecycleWord

	// Results in one line of JSON.
	structuredResult
	placementResult
)

// Groups of words.
const (
	facts     = configLine | deviceLine | headerLine | boundsLine | averageLine | repeatsLine | startLine | endLine
	reporters = testFailure | libFailure | testTimeout | ncclWarning | watchdog | cudaMessage | kernelKill | storeTimeout
	launching = resolve | denied | throttled | waiting | sshConnect | noDaemon | jobAbort | ending | slurm
)

// word is a text, in lower case, that means something wherever it stands in a line, in any case.
type word struct {
	text  string
	means signals
}

var words = build(vocabulary)

var vocabulary = []word{
	// nccl-tests and rccl-tests, 2017 to 2026 (FORMATS.md of the samples).
	{"nthread ", configLine},
	{" device ", deviceLine},
	{"algbw", headerLine},
	{"out of bounds values", boundsLine},
	{"avg bus bandwidth", averageLine},
	{"bitwise mismatches", repeatsLine},
	{"collective test starting:", startLine},
	{"collective test concluded:", endLine},

	{"test failure ", testFailure},
	{"nccl failure ", libFailure},
	{"cuda failure ", libFailure},
	{"hip failure ", libFailure},
	{"nccl error", libFailure},
	{"ncclsystemerror", libFailure | systemClass},
	{"ncclinternalerror", libFailure | systemClass},
	{"ncclremoteerror", libFailure | lostPeer},
	{"ncclunhandledcudaerror", libFailure | cudaClass},
	// PyTorch, to the processes that outlive another: gloo's transport, and the store by which they meet.
	{"gloo/transport/", libFailure | lostPeer},
	{"diststoreerror", libFailure | lostPeer},
	{"distnetworkerror", libFailure | lostPeer},
	{"test timeout (", testTimeout},
	{"nccl warn ", ncclWarning},
	{"watchdog caught collective operation timeout", watchdog},
	{"processgroupnccl watchdog hang", watchdog},
	{"heartbeat monitor timed out", watchdog},
	{"cuda error: ", cudaMessage},
	{"cuda out of memory", cudaMessage | outOfMemory},
	{"hip error: ", cudaMessage},
	{"hip out of memory", cudaMessage | outOfMemory},
	{"out of memory: killed process", kernelKill | outOfMemory},
	{"oom_kill event", kernelKill | outOfMemory},
	{"oom-kill event", kernelKill | outOfMemory},
	{"fallen off the bus", kernelKill | cudaFault},
	{"invalid number of gpus:", libFailure | cudaFault},
	{"client socket has timed out after", storeTimeout | rendezvous},
	{"distributed.diststoreerror", storeTimeout | rendezvous},

	// Texts of the CUDA runtime (cudaGetErrorString) and of ncclGetErrorString.
	{"system not yet initialized", notInitialized},
	{"initialization error", notInitialized},
	{"out of memory", outOfMemory},
	{"illegal memory access", cudaFault},
	{"uncorrectable ecc", cudaFault},
	{"uncorrectable nvlink", cudaFault},
	{"unspecified launch failure", cudaFault},
	{"device-side assert", cudaFault},
	{"no cuda-capable device", cudaFault},
	{"driver version is insufficient", cudaFault},
	{"busy or unavailable", cudaFault},
	{"invalid device ordinal", cudaFault},
	{"misaligned address", cudaFault},
	{"no kernel image is available", cudaFault},
	{"the launch timed out", cudaFault},
	{"unhandled cuda error", cudaClass},
	{"unhandled hip error", cudaClass},
	{"unhandled system error", systemClass},
	{"internal error", systemClass},
	{"invalid usage", systemClass},
	{"remote process exited", lostPeer},

	// Texts of NCCL's warnings.
	{"got completion", ibFault},
	{" ibv_", ibFault},
	{"_ibv_", ibFault},
	{"(ibv_", ibFault},
	{"async fatal event", ibFault},
	{"got async event", ibFault},
	{"no route to host", unreachable},
	{"network is unreachable", unreachable},
	{"host is unreachable", unreachable},
	{"neither af_inet", rendezvous},
	{"no socket interface found", rendezvous},
	{"bootstrap", rendezvous},
	{"no space left on device", resources},
	{"shared memory", resources},
	{"too many open files", resources},
	{"cannot allocate memory", resources},
	{"connection refused", refused},
	{"connection timed out", timedOut},
	{"operation timed out", timedOut},
	{"connection closed by", lostPeer},
	{"connection reset by peer", lostPeer},

	// OpenSSH, resolvers, mpirun of Open MPI 4 and 5, MPICH.
	{"could not resolve hostname ", resolve},
	{"name or service not known", resolve},
	{"temporary failure in name resolution", resolve},
	{"unable to get host address for ", resolve},
	{"permission denied (publickey", denied},
	{"permission denied (password", denied},
	{"permission denied, please try again", denied},
	{"host key verification failed", denied},
	{"too many authentication failures", denied},
	{"bad owner or permissions on", denied},
	{"unprotected private key file", denied},
	{"kex_exchange_identification", throttled},
	{"ssh_exchange_identification", throttled},
	{"not allowed at this time", throttled},
	{"maxstartups", throttled},
	{"could not resolve host:", resolve},
	{"couldn't resolve ", resolve},
	{"unable to resolve ", resolve},
	{"failed to resolve ", resolve},
	{"waiting for ", waiting},
	{"connect to host ", sshConnect},
	{"mpirun detected that", jobAbort},
	{"mpirun noticed that", jobAbort},
	{"prterun detected that", jobAbort},
	{"prterun noticed that", jobAbort},
	{"mpiexec detected that", jobAbort},
	{"exited on signal", jobAbort},
	{"mpi_abort was invoked", jobAbort},
	{"unable to reliably start one or more daemons", noDaemon},
	{"daemon has unexpectedly failed after launch", noDaemon},
	{"terminated normally, but", jobAbort},
	{"was unable to launch the specified application", jobAbort},
	{"was unable to find the specified executable", jobAbort},
	{"execvp error on file", jobAbort},
	{"not enough slots available", jobAbort},
	{"error while loading shared libraries", jobAbort},
	{"bad termination of one of your", jobAbort},
	{"has exited due to process rank", jobAbort},
	{" exiting improperly", jobAbort},
	{"has lost communication with a remote daemon", jobAbort},
	{"remote daemon: [", jobAbort},
	{" running at ", ending},
	{"*** process received signal ***", ending},
	{"killed", ending},
	{"command terminated with exit code ", ending},
	{"orted: command not found", jobAbort},
	{"prted: command not found", jobAbort},
	{"srun: error: ", slurm},
	{"slurmstepd: error: *** ", slurm},

	// Python, and torchrun of its processes.
	{"traceback (most recent call last)", raisedWord},
	{"signal 9 (sigkill)", raisedWord},
	{"signal 15 (sigterm)", raisedWord},
	{"closing signal sig", raisedWord},
	{"signalexception: process ", raisedWord},
	{"root cause (first observed failure)", raisedWord},
	{"death signal", raisedWord},

	// A word or two for each family of training layouts.
	{"consumed samples:", megatronStep},
	{"elapsed time per iteration (ms):", megatronStep},
	{"throughput per gpu (", megatronStep},
	{"lm loss:", megatronStep},
	{"step:", titanStep},
	{"iter ", nanoStep},
	{"train_step_timing in s", nemoStep},
	{"completed step:", maxtextStep},
	{"step time :", bridgeStep},
	{"iter time (s):", deepspeedStep},
	{"_microstep:", deepspeedStep},
	{", skipped=", deepspeedStep},
	{"runningavgsamplespersec=", deepspeedStep},
	{"'learning_rate':", trainerStep},

	// What happens around the steps: a word of every built-in profile's patterns that are not steps.
	{"saving checkpoint at iteration", lifecycleWord},
	{"scheduled an async checkpoint save at iteration", lifecycleWord},
	{"loading checkpoint from ", lifecycleWord},
	{"using world size: ", lifecycleWord},
	{"global checkpoint save", lifecycleWord},
	{"successfully saved checkpoint from iteration", lifecycleWord},
	{"restoring model weights from ", lifecycleWord},
	{" nemo_logging:", lifecycleWord},

	// Results in one line of JSON.
	{`"nccl-tests structured output"`, structuredResult},
	{`"inplace"`, placementResult},
}

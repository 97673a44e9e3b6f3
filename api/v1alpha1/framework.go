package v1alpha1

// Framework holds exactly one of its members.
type Framework struct {
	Torch *Torch `json:"torch,omitempty"`
	MPI   *MPI   `json:"mpi,omitempty"`
	Exec  *Exec  `json:"exec,omitempty"`
}

// The names of the frameworks, as reports and templates use them.
const (
	FrameworkTorch = "torch"
	FrameworkMPI   = "mpi"
	FrameworkExec  = "exec"
)

// Frameworks are the names of the frameworks, in the order in which they are listed to a user.
var Frameworks = []string{FrameworkMPI, FrameworkTorch, FrameworkExec}

// Name returns the name of the framework that is set, or "" when none is.
func (f Framework) Name() string {
	switch {
	case f.Torch != nil:
		return FrameworkTorch
	case f.MPI != nil:
		return FrameworkMPI
	case f.Exec != nil:
		return FrameworkExec
	}
	return ""
}

// Torch runs a script or a module under torchrun on each node of the group; exactly one of the two is set.
type Torch struct {
	// Script is the path of a Python file, Module the name of a module, as `torchrun -m` takes it.
	Script string `json:"script,omitempty"`
	Module string `json:"module,omitempty"`
	// Args are those of the script or module.
	Args []string `json:"args,omitempty"`
}

// MPI runs a binary under mpirun: one launcher, and one worker with sshd on each node of the group.
type MPI struct {
	MPIRunPath string   `json:"mpirunPath"`
	Binary     string   `json:"binary"`
	Args       []string `json:"args,omitempty"`
	// MPIArgs are further arguments of mpirun, after Seatrial's own.
	MPIArgs []string `json:"mpiArgs,omitempty"`
	// MPIImplementation is OpenMPI, which "" stands for too: the only one whose arguments Seatrial writes.
	MPIImplementation string `json:"mpiImplementation,omitempty"`
}

// OpenMPI is the only MPI implementation.
const OpenMPI = "OpenMPI"

// Exec runs a command once on each node of the group.
type Exec struct {
	Command []string `json:"command"`
	Args    []string `json:"args,omitempty"`
}

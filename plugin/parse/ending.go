package parse

import (
	"bytes"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// ended reads what a shell, a container's client, MPICH or a process that crashes says of an end, and which host it names. It is
// not ok for a line that only has such a word. A shell may have lost a helper of its own before the test begins.
func (p *Parser) ended(line []byte) (f Failure, ok bool) {
	f.Strength = Echo
	switch {
	case bytes.Contains(line, []byte("*** Process received signal ***")):
		if line[0] == '[' { // [node02:01009] by Open MPI
			process, _, _ := bytes.Cut(line[1:], []byte("]"))
			name, _, _ := bytes.Cut(process, []byte(":"))
			f.Host = p.host(shortName(name))
		}
		return f, true
	case bytes.Contains(line, []byte("PID ")) && bytes.Contains(line, []byte(" RUNNING AT ")): // MPICH's Hydra
		f.Host = p.named(line, " RUNNING AT ")
		return f, true
	case bytes.Contains(line, []byte("ommand terminated with exit code ")): // kubectl
		code := p.split(after(line, "exit code "))
		f.Launch = true
		return f, len(code) > 0 && string(code[0]) != "0"
	}
	f.Launch = true
	return f, string(line) == "Killed" || bytes.Contains(line, []byte(": line ")) && bytes.Contains(line, []byte(" Killed  "))
}

// slurmEnd reads what Slurm says of a step's end. The first task that exits with a code or by a signal of its own speaks against its
// node; whoever ends after it, or after Slurm has cancelled the step, was ended by Slurm, as whoever is terminated is. Memory that is
// taken from a task, and a node that fails, have a node whatever came before.
func (p *Parser) slurmEnd(line []byte, found signals) Failure {
	f := Failure{Strength: Echo}
	if found.has(outOfMemory) {
		f.Cause, f.Strength = v1alpha1.CauseOutOfMemory, Specific
	}
	if lost := p.named(line, "ode failure on "); lost != "" {
		return Failure{Cause: v1alpha1.CauseSystemError, Strength: Specific, Host: lost}
	}
	task, end, ok := bytes.Cut(after(line, "srun: error: "), []byte(": task"))
	switch {
	case !ok:
		p.stepEnded = p.stepEnded || bytes.Contains(line, []byte(" CANCELLED "))
	case f.Cause != "":
		f.Host = p.host(shortName(task))
	case bytes.HasSuffix(end, []byte(": Terminated")), p.stepEnded:
	default:
		f.Host, p.stepEnded = p.host(shortName(task)), true
	}
	return f
}

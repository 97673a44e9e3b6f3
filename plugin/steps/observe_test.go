package steps

import (
	"testing"
	"time"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// pod is a pod of a role on a node, whose workload container runs until a change says otherwise.
func pod(role, name, node string, changes ...func(*corev1.Pod)) corev1.Pod {
	p := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{labelReplicated: role}},
		Spec:       corev1.PodSpec{NodeName: node},
		Status: corev1.PodStatus{
			Phase:             corev1.PodRunning,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon)}},
			ContainerStatuses: []corev1.ContainerStatus{{Name: containerNode, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}},
		},
	}
	for _, change := range changes {
		change(&p)
	}
	return p
}

func terminated(code int32, reason string) *corev1.ContainerStateTerminated {
	return &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason, FinishedAt: metav1.NewTime(noon.Add(time.Minute))}
}

func exited(code int32, reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: terminated(code, reason)}
	}
}

// restarted: the container exited and was started again.
func restarted(code int32) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.ContainerStatuses[0].RestartCount = 1
		p.Status.ContainerStatuses[0].LastTerminationState.Terminated = terminated(code, "Error")
	}
}

func waiting(reason string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "why"}}
	}
}

func unscheduled(p *corev1.Pod) {
	p.Spec.NodeName, p.Status.Phase, p.Status.ContainerStatuses = "", corev1.PodPending, nil
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}
}

// ready: the worker's readiness probe succeeds.
func ready(p *corev1.Pod) {
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
}

// initStatus: this is how the init container is.
func initStatus(s corev1.ContainerStatus) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		s.Name = "setup"
		p.Status.InitContainerStatuses = []corev1.ContainerStatus{s}
	}
}

// ofIndex: the worker's place in its Job.
func ofIndex(index string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels[batchv1.JobCompletionIndexAnnotation] = index }
}

func deleted(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: noon} }

func trainJob(conditions ...metav1.Condition) *trainer.TrainJob {
	return &trainer.TrainJob{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon)}, Status: trainer.TrainJobStatus{Conditions: conditions}}
}

func is(kind string, message string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Message: message, LastTransitionTime: metav1.NewTime(noon.Add(time.Minute))}
}

// mpiJob is a healthy job of two workers, ten minutes old; an hour is its time.
func mpiJob(pods ...corev1.Pod) observation {
	return observation{framework: v1alpha1.FrameworkMPI, nodes: 2, timeout: time.Hour, now: noon.Add(10 * time.Minute), job: trainJob(), pods: pods, admitted: noon}
}

func execJob(pods ...corev1.Pod) observation {
	o := mpiJob(pods...)
	o.framework, o.exitSeen = v1alpha1.FrameworkExec, noon.Add(time.Minute)
	return o
}

var (
	worker0 = pod(workers, "w-0", "gpu-node-01")
	worker1 = pod(workers, "w-1", "gpu-node-02")
)

func TestEnded(t *testing.T) {
	done := func(o observation) observation { o.job = trainJob(is(trainer.TrainJobComplete, "")); return o }
	later := func(d time.Duration, o observation) observation { o.now = noon.Add(d); return o }
	without := func(o observation) observation { o.job = nil; return o }
	blames := func(names ...string) []string { return names }
	for name, c := range map[string]struct {
		seen    observation
		ending  score.Ending
		message string // of an ending that is Lost, "" says that there is none yet
		cause   v1alpha1.Cause
		blamed  []string
	}{
		"a job that runs has not ended": {mpiJob(worker0, worker1, pod(launcher, "l", "cpu")), score.Lost, "", "", nil},
		"the launcher's exit decides": {mpiJob(worker0, worker1, pod(launcher, "l", "cpu", exited(3, "Error"))),
			score.Exited, "the launcher exited with 3", "", nil},
		"the first exit decides, though the kubelet started it again": {mpiJob(worker0, worker1, pod(launcher, "l", "cpu", restarted(1))),
			score.Exited, "the launcher exited with 1", "", nil},
		"the first exit decides, though the second is good": {done(mpiJob(worker0, worker1, pod(launcher, "l", "cpu", restarted(1), exited(0, "Completed")))),
			score.Exited, "the launcher exited with 1", "", nil},
		"a kill for want of memory is named": {mpiJob(worker0, worker1, pod(launcher, "l", "cpu", exited(137, "OOMKilled"))),
			score.Exited, "the launcher was killed for want of memory", v1alpha1.CauseOutOfMemory, nil},
		"a worker that crashed is to blame for the launcher's exit": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", restarted(139)), pod(launcher, "l", "cpu", exited(1, "Error"))),
			score.Exited, "the launcher exited with 1", "", blames("gpu-node-02")},
		"a worker that is deleted did not crash, and takes the launcher with it": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(143, "Error"), deleted), pod(launcher, "l", "cpu", exited(1, "Error"))),
			score.Lost, "the launcher exited with 1 after the pod w-1 (gpu-node-02) was deleted, and not by Seatrial", "", nil},
		"a worker's exit alone does not end an MPI job": {mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(1, "Error")), pod(launcher, "l", "cpu")), score.Lost, "", "", nil},
		"a command's exit is its node's": {execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(7, "Error"))),
			score.Exited, "the command on gpu-node-02 exited with 7", "", blames("gpu-node-02")},
		"a command that cannot start is the file's mistake": {execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(128, "StartError"))),
			score.Exited, "the command on gpu-node-02 could not start", "", nil},
		"every command that failed is evidence": {execJob(pod(workers, "w-0", "gpu-node-01", exited(3, "")), pod(workers, "w-1", "gpu-node-02", exited(4, ""))),
			score.Exited, "the command on gpu-node-01 exited with 3", "", blames("gpu-node-01", "gpu-node-02")},
		"the same exit on every node speaks against none": {execJob(pod(workers, "w-0", "gpu-node-01", exited(2, "")), pod(workers, "w-1", "gpu-node-02", exited(2, ""))),
			score.Exited, "the command on gpu-node-01 exited with 2", "", nil},
		"the same crash of every worker speaks against none": {mpiJob(pod(workers, "w-0", "gpu-node-01", restarted(127)), pod(workers, "w-1", "gpu-node-02", restarted(127)), pod(launcher, "l", "cpu", exited(1, "Error"))),
			score.Exited, "the launcher exited with 1", "", nil},
		"the others may still fail in the same way": {func() observation {
			o := execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(2, "")))
			o.now = o.exitSeen.Add(settleFor - time.Second)
			return o
		}(), score.Lost, "", "", nil},
		"the others had their time to fail": {func() observation {
			o := execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(2, "")))
			o.now = o.exitSeen.Add(settleFor)
			return o
		}(), score.Exited, "the command on gpu-node-02 exited with 2", "", blames("gpu-node-02")},
		"another may not have begun": {func() observation {
			o := execJob(pod(workers, "w-0", "gpu-node-01", waiting("ContainerCreating")), pod(workers, "w-1", "gpu-node-02", exited(2, "")))
			o.now = o.exitSeen.Add(beginFor - time.Second)
			return o
		}(), score.Lost, "", "", nil},
		"nobody knows how one that never began would have ended": {execJob(pod(workers, "w-0", "gpu-node-01", waiting("ContainerCreating")), pod(workers, "w-1", "gpu-node-02", exited(2, ""))),
			score.Exited, "the command on gpu-node-02 exited with 2", "", nil},
		"a pod that the Job made for one that failed is no second exit": {execJob(worker0, pod(workers, "w-1-a", "gpu-node-02", exited(2, ""), ofIndex("1")), pod(workers, "w-1-b", "gpu-node-02", exited(2, ""), ofIndex("1"))),
			score.Exited, "the command on gpu-node-02 exited with 2", "", blames("gpu-node-02")},
		"a failed TrainJob waits for no other exit": {func() observation {
			o := execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(2, "")))
			o.now, o.job = o.exitSeen, trainJob(is(trainer.TrainJobFailed, "BackoffLimitExceeded"))
			return o
		}(), score.Exited, "the command on gpu-node-02 exited with 2", "", blames("gpu-node-02")},
		"a pod that was told to go is no evidence": {execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(143, ""), func(p *corev1.Pod) {
			p.DeletionTimestamp = &metav1.Time{Time: noon}
		})), score.Lost, "", "", nil},
		"one command of two that ended well has not ended the job": {execJob(worker0, pod(workers, "w-1", "gpu-node-02", exited(0, "Completed"))), score.Lost, "", "", nil},
		"Complete and every container seen":                        {done(mpiJob(worker0, worker1, pod(launcher, "l", "cpu", exited(0, "Completed")))), score.Complete, "", "", nil},
		"Complete and every command seen": {done(execJob(pod(workers, "w-0", "gpu-node-01", exited(0, "")), pod(workers, "w-1", "gpu-node-02", exited(0, "")))),
			score.Complete, "", "", nil},
		"Complete, and the exit may still show": {later(90*time.Second, done(mpiJob(worker0, worker1, pod(launcher, "l", "cpu")))), score.Lost, "", "", nil},
		"Complete, and nobody saw the exit": {done(mpiJob(worker0, worker1)),
			score.Lost, "the TrainJob is Complete, but nobody saw its containers end", "", nil},
		"Complete, and one command of two was seen": {done(execJob(pod(workers, "w-0", "gpu-node-01", exited(0, "")))),
			score.Lost, "the TrainJob is Complete, but nobody saw its containers end", "", nil},
		"ended well, and the TrainJob may still say so": {later(2*time.Minute, mpiJob(pod(launcher, "l", "cpu", exited(0, "")))), score.Lost, "", "", nil},
		"ended well, and the TrainJob never says so": {mpiJob(pod(launcher, "l", "cpu", exited(0, ""))),
			score.Lost, "every container exited with 0, but the TrainJob did not become Complete within 2m0s", "", nil},
		"Failed": {func() observation {
			o := mpiJob(worker0, worker1, pod(launcher, "l", "cpu"))
			o.job = trainJob(is(trainer.TrainJobFailed, "DeadlineExceeded"))
			return o
		}(), score.JobFailed, "the TrainJob failed: DeadlineExceeded", "", nil},
		"Failed by the launcher's init container": {func() observation {
			o := mpiJob(worker0, worker1, pod(launcher, "l", "cpu", initStatus(corev1.ContainerStatus{RestartCount: 6, State: corev1.ContainerState{Terminated: terminated(1, "Error")}}), waiting("PodInitializing")))
			o.job = trainJob(is(trainer.TrainJobFailed, "BackoffLimitExceeded"))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-0", Node: "gpu-node-01", State: v1alpha1.ProbeReady}, {Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeSilent, Attempts: 9}}
			return o
		}(), score.JobFailed, "the TrainJob failed: BackoffLimitExceeded: l (cpu): init container setup has not ended (6 restarts); gpu-node-02: its sshd did not answer: silent",
			v1alpha1.CauseWorkerNotStarted, blames("gpu-node-02")},
		"timeoutPerJob passed, and an event says what for": {func() observation {
			o := later(61*time.Minute, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", waiting("ContainerCreating"))))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeImagePull, Reason: "is being created: Pulling: pulling image"}}
			return o
		}(), score.TimedOut, "w-1 (gpu-node-02): is being created: Pulling: pulling image", v1alpha1.CauseImagePull, nil},
		"timeoutPerJob passed, and no name resolved": {func() observation {
			o := later(61*time.Minute, mpiJob(worker0, worker1))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-0", Node: "gpu-node-01", State: v1alpha1.ProbeDNS, Reason: "why", Attempts: 1}, {Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeDNS, Attempts: 1}}
			return o
		}(), score.TimedOut, "gpu-node-01: dns, why; gpu-node-02: dns", v1alpha1.CauseDNS, nil},
		"timeoutPerJob passed, and one worker is not reachable from here": {func() observation {
			o := later(61*time.Minute, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", ready)))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeSilent, Reason: "not reachable from here", Attempts: 9}}
			return o
		}(), score.TimedOut, "gpu-node-02: silent, not reachable from here", v1alpha1.CauseWorkerNotStarted, nil},
		"deleted by somebody":                {without(mpiJob(worker0, worker1)), score.Lost, "the TrainJob was deleted before it ended, and not by Seatrial", "", nil},
		"just made, and not in the list yet": {later(time.Minute, without(mpiJob())), score.Lost, "", "", nil},
		"timeoutPerJob passed while it ran": {later(61*time.Minute, mpiJob(worker0, worker1, pod(launcher, "l", "cpu"))),
			score.TimedOut, "the job was still running", "", nil},
		"timeoutPerJob passed without a pod": {later(61*time.Minute, mpiJob()), score.TimedOut, "no pod exists", "", nil},
		"timeoutPerJob passed without a node for a worker": {later(61*time.Minute, mpiJob(worker0, pod(workers, "w-1", "", unscheduled))),
			score.TimedOut, "w-1 (no node): not scheduled: 0/3 nodes are available", v1alpha1.CauseUnschedulable, nil},
		"timeoutPerJob passed while the image was pulled": {later(61*time.Minute, mpiJob(worker0, pod(workers, "w-1", "gpu-node-02", waiting("ImagePullBackOff")))),
			score.TimedOut, "w-1 (gpu-node-02): ImagePullBackOff: why", v1alpha1.CauseImagePull, nil},
		"timeoutPerJob passed, and no worker's sshd is there": {func() observation {
			o := later(61*time.Minute, mpiJob(worker0, worker1))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-0", Node: "gpu-node-01", State: v1alpha1.ProbeRefused, Attempts: 3}, {Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeRefused, Attempts: 1}}
			return o
		}(), score.TimedOut, "gpu-node-01: refused; gpu-node-02: refused", v1alpha1.CauseWorkerNotStarted, nil},
		"timeoutPerJob passed before a worker's sshd answered": {func() observation {
			o := later(61*time.Minute, mpiJob(worker0, worker1))
			o.probe = []v1alpha1.ProbeResult{{Target: "w-0", Node: "gpu-node-01", State: v1alpha1.ProbeReady}, {Target: "w-1", Node: "gpu-node-02", State: v1alpha1.ProbeRefused, Attempts: 1}}
			return o
		}(), score.TimedOut, "gpu-node-02: its sshd did not answer: refused", v1alpha1.CauseWorkerNotStarted, blames("gpu-node-02")},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.seen.ended()
			require.Equal(t, c.ending, got.Ending)
			require.Equal(t, c.cause, got.Cause)
			require.Contains(t, got.Message, c.message)
			if c.message == "" {
				require.Empty(t, got.Message)
			}
			var names []string
			for _, b := range score.Group(got).Blamed {
				names = append(names, b.Name)
			}
			require.Equal(t, c.blamed, names)
			if c.message == "" && c.ending == score.Lost {
				require.Zero(t, got, "nothing is known yet")
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	scheduledAt := func(minutes int) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(at(minutes)) }
	}
	o := mpiJob(pod(workers, "w-0", "gpu-node-01", scheduledAt(5)), pod(workers, "w-1", "gpu-node-02", scheduledAt(7)))
	require.Equal(t, at(67), o.deadline(), "from the scheduling of the last worker")
	o.pods = o.pods[:1]
	require.Equal(t, at(60), o.deadline(), "from the TrainJob's creation while a worker has no node")
	o.job = nil
	o.admitted = at(3)
	require.Equal(t, at(63), o.deadline(), "from its turn while there is no TrainJob")
	remembered := at(30)
	o.workersAt = &remembered
	require.Equal(t, at(90), o.deadline(), "as the record remembers it, when the pods are gone")
}

func TestDeafWorkers(t *testing.T) {
	o := mpiJob(worker0, worker1)
	for _, state := range []v1alpha1.ProbeState{v1alpha1.ProbeRefused, v1alpha1.ProbeSilent, v1alpha1.ProbeNoBanner, v1alpha1.ProbeThrottled} {
		o.probe = []v1alpha1.ProbeResult{{Target: "w-1", Node: "gpu-node-02", State: state, Reason: "why", Attempts: 1}}
		require.Equal(t, []v1alpha1.NodeReason{{Name: "gpu-node-02", Reason: "its sshd did not answer: " + string(state) + ", why"}}, o.deafWorkers())
		o.probe[0].Attempts = 0
		require.Empty(t, o.deafWorkers(), "nobody asked it")
		o.probe[0].Attempts, o.pods = 1, []corev1.Pod{worker0, pod(workers, "w-1", "gpu-node-02", ready)}
		require.Empty(t, o.deafWorkers(), "it is ready by its own account, and only not reachable from here")
		o.pods = []corev1.Pod{worker0, worker1}
	}
	for _, state := range []v1alpha1.ProbeState{"", v1alpha1.ProbeReady, v1alpha1.ProbeNotScheduled, v1alpha1.ProbeImagePull, v1alpha1.ProbeVolume, v1alpha1.ProbeInit, v1alpha1.ProbeTerminated,
		v1alpha1.ProbeDNS, v1alpha1.ProbeDNSSelf, v1alpha1.ProbePenalised} {
		o.probe = []v1alpha1.ProbeResult{{Node: "gpu-node-02", State: state, Attempts: 1}}
		require.Empty(t, o.deafWorkers(), "%s is no fault of a node", state)
	}
	o.probe = []v1alpha1.ProbeResult{{Node: "gpu-node-02", State: v1alpha1.ProbeRefused, Attempts: 1}}
	o.pods = append(o.pods, pod(launcher, "l", "cpu"))
	require.Empty(t, o.deafWorkers(), "once the launcher ran, every worker had answered it")
}

func TestWaitingCause(t *testing.T) {
	for name, c := range map[string]struct {
		seen observation
		want v1alpha1.Cause
	}{
		"no pod":                 {mpiJob(), ""},
		"a worker without node":  {mpiJob(worker0, pod(workers, "w-1", "", unscheduled)), v1alpha1.CauseUnschedulable},
		"an image":               {mpiJob(pod(workers, "w-1", "n", waiting("ErrImagePull"))), v1alpha1.CauseImagePull},
		"a volume":               {mpiJob(pod(workers, "w-1", "n", waiting("ContainerCreating"))), v1alpha1.CauseVolume},
		"a launcher":             {mpiJob(worker0, worker1), v1alpha1.CauseWorkerNotStarted},
		"a launcher that began":  {mpiJob(worker0, worker1, pod(launcher, "l", "cpu")), ""},
		"commands that all run":  {execJob(worker0, worker1), ""},
		"a command's own volume": {execJob(pod(workers, "w-1", "n", waiting("ContainerCreating"))), v1alpha1.CauseVolume},
	} {
		require.Equal(t, c.want, c.seen.waitingCause(), name)
	}
}

func TestPodState(t *testing.T) {
	phase := func(phase corev1.PodPhase, reason string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Status.Phase, p.Status.Reason = phase, reason }
	}
	for name, c := range map[string]struct {
		change func(*corev1.Pod)
		state  v1alpha1.ProbeState
		text   string
	}{
		"runs":                       {func(*corev1.Pod) {}, v1alpha1.ProbeReady, "runs"},
		"is deleted":                 {deleted, v1alpha1.ProbeTerminated, "is being deleted"},
		"ended well":                 {phase(corev1.PodSucceeded, ""), v1alpha1.ProbeReady, "ended"},
		"was evicted":                {phase(corev1.PodFailed, "Evicted"), v1alpha1.ProbeTerminated, "failed Evicted"},
		"waits for a node":           {unscheduled, v1alpha1.ProbeNotScheduled, "not scheduled: 0/3 nodes are available"},
		"is not looked at yet":       {func(p *corev1.Pod) { unscheduled(p); p.Status.Conditions = nil }, v1alpha1.ProbeNotScheduled, "not scheduled yet"},
		"waits for an image":         {waiting("ErrImagePull"), v1alpha1.ProbeImagePull, "ErrImagePull: why"},
		"waits for a volume":         {waiting("ContainerCreating"), v1alpha1.ProbeVolume, "is being created: an image, a volume or the network is not there yet"},
		"has no status yet":          {func(p *corev1.Pod) { p.Status.ContainerStatuses = nil }, v1alpha1.ProbeVolume, "is being created"},
		"crashes again and again":    {waiting("CrashLoopBackOff"), v1alpha1.ProbeCrash, "CrashLoopBackOff: why"},
		"exited":                     {exited(2, "Error"), v1alpha1.ProbeTerminated, "exited with 2"},
		"runs its init container":    {initStatus(corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}), v1alpha1.ProbeInit, "setup has not ended (0 restarts)"},
		"is past its init container": {initStatus(corev1.ContainerStatus{State: corev1.ContainerState{Terminated: terminated(0, "")}}), v1alpha1.ProbeReady, "runs"},
		"waits for an init image": {initStatus(corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "why"}}}),
			v1alpha1.ProbeImagePull, "ImagePullBackOff: why"},
	} {
		t.Run(name, func(t *testing.T) {
			p := pod(workers, "w-0", "gpu-node-01", c.change)
			state, text := podState(&p)
			require.Equal(t, c.state, state)
			require.Contains(t, text, c.text)
		})
	}
}

func TestAddHosts(t *testing.T) {
	hosts := map[string]string{"old": "gpu-node-09"}
	w := pod(workers, "run-node-0-0-abcde", "gpu-node-01", func(p *corev1.Pod) { p.Spec.Hostname, p.Status.PodIP = "run-node-0-0", "10.0.0.1" })
	l := pod(launcher, "run-launcher-0-0-abcde", "gpu-node-01", func(p *corev1.Pod) { p.Status.PodIP = "10.0.0.9" })
	mpiJob(w, l, pod(workers, "run-node-0-1-abcde", "", unscheduled)).addHosts(hosts)
	require.Equal(t, map[string]string{
		"old": "gpu-node-09", "run-node-0-0-abcde": "gpu-node-01", "run-node-0-0": "gpu-node-01", "10.0.0.1": "gpu-node-01", "run-launcher-0-0-abcde": "gpu-node-01",
	}, hosts)
}

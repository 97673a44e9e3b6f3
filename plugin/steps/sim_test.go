package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/probe"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// The tests of whole runs play in a bubble of testing/synctest: hours pass in no time, and a goroutine that is left over
// when a test ends fails it.

const (
	namespace = "lab"
	goodTable = `# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 524288 maxBytes 1048576 step: 2(factor) warmup iters: 1 iters: 5 agg iters: 1 validation: 1 graph: 0
#  Rank  0 Group  0 Pid     12 on w-0 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid     13 on w-1 device  0 [0000:04:00] NVIDIA H100 80GB HBM3
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
      524288        131072     float     sum      -1    20.39   25.71   25.71       0    20.48   25.60   25.60       0
     1048576        262144     float     sum      -1    27.76   37.77   37.77       0    27.49   38.14   38.14       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 31.8
# Collective test concluded: all_reduce_perf
`
)

var wrongTable = strings.Replace(goodTable, "37.77       0", "37.77      56", 1)

var (
	gvrWorkflow = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}
	gvrTrainJob = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainjobs"}
	gvrRuntime  = schema.GroupVersionResource{Group: "trainer.kubeflow.org", Version: "v1alpha1", Resource: "trainingruntimes"}
	gvrTemplate = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflowtemplates"}
	gvrDomain   = schema.GroupVersionResource{Group: "resource.nvidia.com", Version: "v1beta1", Resource: "computedomains"}
)

// play is what the job of one attempt does.
type play struct {
	log  string
	exit int32
	// lasts is how long the launcher runs; 0 is 20 s, and below 0 it never ends.
	lasts time.Duration
	// early is what the log holds while the launcher runs, and where its stream ends for the first time.
	early string
	// again: the kubelet runs the launcher again at once; log and exit are those of its first run.
	again bool
	// deaf: sshd answers on no worker, so that JobSet never starts the launcher.
	deaf bool
	// broken changes the worker's pod on a node.
	broken map[string]func(*corev1.Pod)
	// exits are the codes with which the commands of exec end, by node; one that is not there runs on.
	exits map[string]int32
	// stays: the pods never go away, as those of a dead node.
	stays bool
}

// sim is a cluster with Trainer, JobSet and kubelets: TrainJobs get pods, logs and an end.
type sim struct {
	*cluster.Fake
	t     *testing.T
	fleet []string
	size  int

	noting  sync.Mutex
	mu      sync.Mutex
	plays   map[string]play // by the TrainJob's name; what is not there is good
	jobs    map[string]*simJob
	history []string // the names of all TrainJobs in the order in which they were seen
	most    int      // jobs that ever ran at once
	deaf    map[string]bool
	bad     map[string]bool // nodes with which every job gives wrong results
	// commands: the runs are of exec, whose jobs have no launcher.
	commands bool
	// choose is the scheduler of a job that names no nodes; "" is a worker that finds no room. nil where groups name theirs.
	choose func() []string
	refuse atomic.Pointer[func(verb, resource, name string) error]
	// plugin is what the plugin has of the cluster: what its roles allow.
	plugin *cluster.Cluster
	used   *requests
	// log takes what the plugin logs.
	log *slog.Logger
}

// Refuse lets every request fail from now on for which refuse returns an error. refuse must not ask the same fake client.
func (s *sim) Refuse(refuse func(verb, resource, name string) error) { s.refuse.Store(&refuse) }

type simJob struct {
	began time.Time
	ended bool
	gone  time.Time // when the TrainJob was deleted
	nodes []string
	group string
	play  play
}

func newSim(t *testing.T, nodes, size int) *sim {
	s := &sim{Fake: cluster.NewFake(), t: t, size: size, log: slog.New(slog.DiscardHandler), plays: map[string]play{}, jobs: map[string]*simJob{}, deaf: map[string]bool{}}
	s.used = newRequests(t)
	s.plugin = s.As(s.used.may)
	s.Stamp(time.Now)
	s.Fake.Refuse(func(verb, resource, name string) error {
		if refuse := s.refuse.Load(); refuse != nil {
			return (*refuse)(verb, resource, name)
		}
		return nil
	})
	s.install("defaults", `{"description": "d", "defaults": true, "env": [{"name": "NCCL_DEBUG", "value": "INFO"}]}`)
	for i := range nodes {
		name := fmt.Sprintf("gpu-node-%02d", i+1)
		s.fleet = append(s.fleet, name)
		_, err := s.Kube.CoreV1().Nodes().Create(t.Context(), &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				resolve.LabelGPUPresent: "true", resolve.LabelGPUProduct: "NVIDIA-H100-80GB-HBM3", corev1.LabelHostname: name,
			}},
			Status: corev1.NodeStatus{
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
				Allocatable: corev1.ResourceList{resolve.ResourceGPU: resource.MustParse("1")},
			},
		}, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	return s
}

// install makes the WorkflowTemplate of a fragment, or writes it anew.
func (s *sim) install(name, fragment string) {
	s.t.Helper()
	body := map[string]any{}
	require.NoError(s.t, json.Unmarshal([]byte(fragment), &body))
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "WorkflowTemplate",
		"metadata": map[string]any{"name": v1alpha1.FragmentPrefix + name, "namespace": namespace, "labels": map[string]any{v1alpha1.LabelFragment: "true"}},
		"spec":     map[string]any{"templates": []any{map[string]any{"name": "fragment", "plugin": map[string]any{"seatrial": map[string]any{"step": "fragment", "fragment": body}}}}},
	}}
	api := s.Dynamic.Resource(gvrTemplate).Namespace(namespace)
	_, err := api.Create(context.Background(), o, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = api.Update(context.Background(), o, metav1.UpdateOptions{})
	}
	require.NoError(s.t, err)
}

// note appends to a list that several goroutines write.
func (s *sim) note(list *[]string, event string) {
	s.noting.Lock()
	defer s.noting.Unlock()
	*list = append(*list, event)
}

// live acts as the cluster does, every second, until ctx ends.
func (s *sim) live(ctx context.Context) {
	for ctx.Err() == nil {
		s.tick()
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func (s *sim) tick() {
	ctx := context.Background()
	list, err := s.Dynamic.Resource(gvrTrainJob).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return // a test refuses requests for a while
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		o := &list.Items[i]
		there[o.GetName()] = o
		if s.jobs[o.GetName()] == nil {
			s.begin(ctx, o)
		}
	}
	running := 0
	busy := map[string]string{}
	for name, j := range s.jobs {
		o := there[name]
		if o == nil {
			s.end(ctx, name, j)
			continue
		}
		if age := time.Since(j.began); !j.ended && j.play.lasts >= 0 && !j.play.deaf && age >= j.play.lasts {
			if s.commands {
				s.endCommands(ctx, o, j)
			} else {
				s.complete(ctx, o, j)
			}
		}
		running++
		for _, n := range j.nodes {
			if other, taken := busy[n]; taken && n != "" {
				s.t.Errorf("%s and %s hold %s at once", name, other, n)
			}
			busy[n] = name
		}
	}
	s.most = max(s.most, running)
}

func (s *sim) begin(ctx context.Context, o *unstructured.Unstructured) {
	group := o.GetLabels()[resolve.LabelGroup]
	j := &simJob{began: time.Now(), group: group, play: s.plays[o.GetName()]}
	if j.play.log == "" {
		j.play.log = goodTable
	}
	if j.play.lasts == 0 {
		j.play.lasts = 20 * time.Second
	}
	groups, err := partition.Chunk(s.fleet, s.size)
	if err != nil {
		s.t.Error(err)
		return
	}
	first, _, _ := strings.Cut(group, "-i")
	for _, g := range groups {
		if g.Name == first {
			j.nodes = g.Nodes
		}
	}
	if partition.RoundOf(group) > 0 {
		j.nodes = s.planned(ctx, o.GetLabels()[resolve.LabelWorkflow], group)
	}
	if s.choose != nil {
		j.nodes = s.choose()
	}
	for _, n := range j.nodes {
		if s.bad[n] && j.play.log == goodTable {
			j.play.log = wrongTable
		}
	}
	s.jobs[o.GetName()] = j
	s.history = append(s.history, o.GetName())
	for i, node := range j.nodes {
		s.pod(ctx, o, workers, fmt.Sprintf("%s-node-0-%d", o.GetName(), i), node, j.play.broken[node])
	}
	if !j.play.deaf && !s.commands {
		s.pod(ctx, o, launcher, o.GetName()+"-launcher-0-0", "cpu", nil)
		if j.play.early != "" {
			s.SetLog(o.GetName()+"-launcher-0-0", containerNode, false, j.play.early)
		}
	}
}

// planned are the nodes of a group, as the record has them.
func (s *sim) planned(ctx context.Context, workflow, group string) []string {
	owner := cluster.Owner{Namespace: namespace, Name: workflow, UID: "uid-of-" + workflow}
	plan, _, _, err := record.Read(ctx, s.Cluster.Record(owner, "", workflow))
	if err != nil {
		s.t.Error(err)
	}
	g, err := plan.Find(group)
	if err != nil {
		s.t.Error(err)
	}
	return g.Nodes
}

func (s *sim) pod(ctx context.Context, job *unstructured.Unstructured, role, name, node string, change func(*corev1.Pod)) {
	labels := maps.Clone(job.GetLabels())
	labels[labelJobSet], labels[labelReplicated] = job.GetName(), role
	p := pod(role, name, node)
	p.Labels, p.Status.PodIP = labels, addressOf(node)
	p.Status.Conditions[0].LastTransitionTime = metav1.Now()
	if node == "" {
		p.Status = corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/6 nodes are available"}}}
	}
	if change != nil {
		change(&p)
	}
	if _, err := s.Kube.CoreV1().Pods(namespace).Create(ctx, &p, metav1.CreateOptions{}); err != nil {
		s.t.Error(err)
	}
}

// complete ends the launcher and then the TrainJob.
func (s *sim) complete(ctx context.Context, o *unstructured.Unstructured, j *simJob) {
	j.ended = true
	pods := s.Kube.CoreV1().Pods(namespace)
	p, err := pods.Get(ctx, o.GetName()+"-launcher-0-0", metav1.GetOptions{})
	if err != nil {
		s.t.Error(err)
		return
	}
	ended := &corev1.ContainerStateTerminated{ExitCode: j.play.exit, FinishedAt: metav1.Now()}
	status := &p.Status.ContainerStatuses[0]
	s.SetLog(p.Name, containerNode, j.play.again, j.play.log)
	if j.play.again {
		s.SetLog(p.Name, containerNode, false, "the second run\n")
		status.RestartCount, status.LastTerminationState.Terminated = 1, ended
	} else {
		status.State = corev1.ContainerState{Terminated: ended}
	}
	if _, err := pods.UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
		s.t.Error(err)
	}
	if j.play.exit != 0 {
		return // the kubelet runs it again
	}
	o.Object["status"] = map[string]any{"conditions": []any{map[string]any{
		"type": "Complete", "status": "True", "reason": "JobsCompleted", "message": "", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}}}
	if _, err := s.Dynamic.Resource(gvrTrainJob).Namespace(namespace).Update(ctx, o, metav1.UpdateOptions{}); err != nil {
		s.t.Error(err)
	}
}

// endCommands ends those commands of exec that have an exit code.
func (s *sim) endCommands(ctx context.Context, o *unstructured.Unstructured, j *simJob) {
	j.ended = true
	pods := s.Kube.CoreV1().Pods(namespace)
	for i, node := range j.nodes {
		code, ends := j.play.exits[node]
		if !ends {
			continue
		}
		p, err := pods.Get(ctx, fmt.Sprintf("%s-node-0-%d", o.GetName(), i), metav1.GetOptions{})
		if err != nil {
			s.t.Error(err)
			continue
		}
		s.SetLog(p.Name, containerNode, false, j.play.log)
		p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, StartedAt: metav1.NewTime(j.began), FinishedAt: metav1.Now()}}
		if _, err := pods.UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

// end lets the pods of a deleted TrainJob go after 2 s.
func (s *sim) end(ctx context.Context, name string, j *simJob) {
	if j.gone.IsZero() {
		j.gone = time.Now()
	}
	if j.play.stays || time.Since(j.gone) < 2*time.Second {
		return
	}
	delete(s.jobs, name)
	list, err := s.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: labelJobSet + "=" + name})
	if err != nil {
		s.t.Error(err)
		return
	}
	for _, p := range list.Items {
		if err := s.Kube.CoreV1().Pods(namespace).Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil {
			s.t.Error(err)
		}
	}
}

func (s *sim) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(s.history))
}

// addressOf is the address of the pod on a node.
func addressOf(node string) string {
	return "10.0.0." + strings.TrimLeft(strings.TrimPrefix(node, "gpu-node-"), "0")
}

// dial answers as the sshd of a worker.
func (s *sim) dial(_ context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	deaf := false
	for node := range s.deaf {
		deaf = deaf || addressOf(node) == host
	}
	s.mu.Unlock()
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close() //nolint:errcheck // the test's end of a pipe
		if !deaf {
			if _, err := io.WriteString(theirs, "SSH-2.0-OpenSSH_9.2\r\n"); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, theirs) // until the probe hangs up
	}()
	return ours, nil
}

// leftovers are the names of the objects and pods of runs that exist.
func (s *sim) leftovers() []string {
	var names []string
	for _, gvr := range []schema.GroupVersionResource{gvrTrainJob, gvrRuntime} {
		list, err := s.Dynamic.Resource(gvr).Namespace(namespace).List(context.Background(), metav1.ListOptions{})
		require.NoError(s.t, err)
		for _, o := range list.Items {
			names = append(names, gvr.Resource+"/"+o.GetName())
		}
	}
	pods, err := s.Kube.CoreV1().Pods(namespace).List(context.Background(), metav1.ListOptions{})
	require.NoError(s.t, err)
	for _, p := range pods.Items {
		names = append(names, "pods/"+p.Name)
	}
	return names
}

// argo is a workflow, its controller and its agent, over one plugin at a time.
type argo struct {
	*sim
	name       string
	steps      *Steps
	parameters map[string]string
	gate       string
}

// workflow submits the template workloadrun-mpi with groups of the sim's size, and starts the plugin.
func (s *sim) workflow(name string, parameters map[string]string) *argo {
	a := &argo{sim: s, name: name, gate: "true", parameters: map[string]string{
		"image": "registry.example.com/nccl:1", "numNodes": fmt.Sprint(s.size), "mpirunPath": "/usr/local/mpi/bin/mpirun", "binary": "/usr/local/bin/all_reduce_perf_mpi",
		"timeoutPerJob": "10m", "thresholds": "busBandwidthGBps: value >= 30",
	}}
	if s.commands {
		a.parameters = map[string]string{"image": "registry.example.com/check:1", "numNodes": fmt.Sprint(s.size), "command": "[/bin/check]", "timeoutPerJob": "10m"}
	}
	maps.Copy(a.parameters, parameters)
	_, err := s.CreateWorkflow(context.Background(), namespace, map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
		"metadata": map[string]any{"name": name, "namespace": namespace, "uid": "uid-of-" + name},
		"spec":     map[string]any{},
		"status":   map[string]any{"phase": "Running", "startedAt": time.Now().UTC().Format(time.RFC3339)},
	})
	require.NoError(s.t, err)
	a.start()
	s.t.Cleanup(func() { a.kill() })
	return a
}

func (a *argo) start() {
	p := &probe.Prober{Clock: clock.RealClock{}, Dial: a.dial}
	a.steps = New(a.plugin, p, clock.RealClock{}, a.log)
}

// restart kills the plugin's process, as a crash does: nothing is cleaned up. The next one finds its way.
func (a *argo) restart() {
	a.kill()
	a.start()
}

func (a *argo) kill() {
	a.steps.mu.Lock()
	a.steps.closed = true
	a.steps.mu.Unlock()
	a.steps.cancel()
	a.steps.wait.Wait()
}

func (a *argo) set(change func(w map[string]any)) {
	workflows := a.Dynamic.Resource(gvrWorkflow).Namespace(namespace)
	w, err := workflows.Get(context.Background(), a.name, metav1.GetOptions{})
	require.NoError(a.t, err)
	change(w.Object)
	_, err = workflows.Update(context.Background(), w, metav1.UpdateOptions{})
	require.NoError(a.t, err)
}

// part is a part of an object that is a map.
func part(object map[string]any, name string) map[string]any {
	m, _ := object[name].(map[string]any)
	return m
}

// stop is `argo stop`.
func (a *argo) stop() {
	a.set(func(w map[string]any) { part(w, "spec")["shutdown"] = "Stop" })
}

// over is the end of the workflow.
func (a *argo) over() {
	a.set(func(w map[string]any) {
		part(w, "status")["finishedAt"] = time.Now().UTC().Format(time.RFC3339)
	})
}

// retry is `argo retry`, which begins another epoch and another agent.
func (a *argo) retry() {
	time.Sleep(2 * time.Second)
	a.steps.Close(context.Background())
	a.set(func(w map[string]any) {
		w["status"] = map[string]any{"phase": "Running", "startedAt": time.Now().UTC().Format(time.RFC3339)}
		delete(part(w, "spec"), "shutdown")
	})
	a.start()
}

func (a *argo) call(step, group string) server.Call {
	round, in := "", a.name+".run"
	if n := partition.RoundOf(group); step == stepRound || n > 0 {
		if step == stepRound {
			round, group = group, ""
			n, _ = strconv.Atoi(round)
		}
		in += ".isolate" + strings.Repeat(".next", max(n, 1)-1)
	}
	node := in + "." + step
	if group != "" {
		node = in + ".groups(0:" + group + ")." + step
	}
	framework := v1alpha1.FrameworkMPI
	if a.commands {
		framework = v1alpha1.FrameworkExec
	}
	body, err := json.Marshal(map[string]string{"step": step, "groups": group, "node": node, "framework": framework, "gate": a.gate, "round": round})
	require.NoError(a.t, err)
	call := server.Call{
		Workflow: server.Workflow{Name: a.name, Namespace: namespace, UID: "uid-of-" + a.name},
		Step:     step, Group: group, Node: node, Body: body,
	}
	if step == stepDiscover {
		call.Parameters = a.parameters
	}
	return call
}

// step calls as the agent does, until the answer is final or the workflow is stopped.
func (a *argo) step(step, group string) server.Reply {
	call := a.call(step, group)
	for range 100_000 {
		reply := a.steps.Execute(context.Background(), call)
		if final(reply) {
			return reply
		}
		require.Positive(a.t, max(reply.Requeue, time.Second))
		time.Sleep(max(reply.Requeue, time.Second))
	}
	a.t.Errorf("%s %s never ends", step, group)
	return server.Reply{}
}

func final(r server.Reply) bool {
	return r.Phase == server.Succeeded || r.Phase == server.Failed || r.Phase == server.Error
}

// replies are the final answers by "step group".
type replies map[string]server.Reply

// run plays the template's run: discover, partition, launch, probe beside score, report.
func (a *argo) run() replies {
	all := replies{}
	var mu sync.Mutex
	do := func(step, group string) server.Reply {
		reply := a.step(step, group)
		mu.Lock()
		defer mu.Unlock()
		all[strings.TrimSpace(step+" "+group)] = reply
		return reply
	}
	if do(stepDiscover, "").Phase == server.Succeeded {
		if p := do(stepPartition, ""); p.Phase == server.Succeeded {
			var ids []string
			require.NoError(a.t, json.Unmarshal([]byte(p.Outputs["batches"]), &ids))
			var wait sync.WaitGroup
			for _, id := range ids {
				wait.Go(func() {
					do(stepLaunch, id)
					wait.Go(func() { do(stepProbe, id) })
					do(stepScore, id)
				})
			}
			wait.Wait()
			if a.parameters["isolate"] == "true" {
				a.isolate(do)
			}
		}
	}
	do(stepReport, "")
	return all
}

// isolate plays the template of that name, which calls itself.
func (a *argo) isolate(do func(step, group string) server.Reply) {
	for round := 1; ; round++ {
		made := do(stepRound, fmt.Sprint(round))
		if made.Phase != server.Succeeded {
			return
		}
		var ids []string
		require.NoError(a.t, json.Unmarshal([]byte(made.Outputs["batches"]), &ids))
		var wait sync.WaitGroup
		for _, id := range ids {
			wait.Go(func() {
				do(stepLaunch, id)
				wait.Go(func() { do(stepProbe, id) })
				do(stepScore, id)
			})
		}
		wait.Wait()
		if made.Outputs["more"] != "true" {
			return
		}
		require.Equal(a.t, fmt.Sprint(round+1), made.Outputs["next"])
	}
}

// record is the run's record as `seatrial workloadrun report` reads it.
func (a *argo) record() (record.Plan, map[string]record.Group) {
	owner := cluster.Owner{Namespace: namespace, Name: a.name, UID: "uid-of-" + a.name}
	plan, groups, _, err := record.Read(context.Background(), a.Cluster.Record(owner, "", a.name))
	require.NoError(a.t, err)
	return plan, groups
}

// report is the report that the record makes now.
func (a *argo) report() v1alpha1.Report {
	plan, groups := a.record()
	return record.Report(a.name, "", plan, groups, nil)
}

// simulate plays in a bubble with a cluster of n nodes and groups of size.
func simulate(t *testing.T, n, size int, test func(t *testing.T, s *sim)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSim(t, n, size)
		ctx, stop := context.WithCancel(context.Background())
		var wait sync.WaitGroup
		wait.Go(func() { s.live(ctx) })
		t.Cleanup(func() { // in the bubble, so that a test that fails says why, and not that goroutines are left
			stop()
			wait.Wait()
		})
		test(t, s)
	})
}

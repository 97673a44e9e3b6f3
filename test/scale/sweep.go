package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/demo"
	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// sweep is one run over a fleet.
type sweep struct {
	name   string
	nodes  int
	size   int
	spread time.Duration
	// byHand: a resource template a group instead of Seatrial.
	byHand bool
}

func (w sweep) groups() int { return (w.nodes + w.size - 1) / w.size }

// result is what a sweep measured. Times are from the submission, but for those that say otherwise.
type result struct {
	sweep
	pods, argos              int
	applied, allRun, lastEnd time.Duration
	// complete is when the last TrainJob was Complete, which Trainer says some time after the last launcher's end.
	complete time.Duration
	// report and over are from the last job's end: until the report can be read, and until the workflow is over.
	report, over   time.Duration
	peak           peak
	total          int64 // requests of everybody but this program
	phase, verdict string
	counts         v1alpha1.Counts
}

// run plays a sweep: fleet, kubelet, workflow, measurement. What it made it removes, whatever happens.
func (s *stand) run(ctx context.Context, w sweep) (r result, err error) {
	r.sweep = w
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// 1. The kubelet, with the logs.
	k := newKubelet(s.kube, s.namespace, hostAddress)
	k.groups, k.spread, k.say, k.text = w.groups(), w.spread, s.say, func(job string) string { return demo.Log(job, hosts(job, w.size)) }
	port := make(chan int32, 1)
	ended := make(chan error, 3)
	go func() { ended <- serveTLS(ctx, k.serveLogs(), port) }()
	go func() { ended <- k.live(ctx) }()
	a := &arrivals{}
	go func() { ended <- a.live(ctx, s.dynamic, s.namespace) }()
	f := fleet{kube: s.kube, size: w.nodes, address: hostAddress}
	select {
	case f.port = <-port:
	case err := <-ended:
		return r, err
	}
	// 2. The fleet.
	s.say("%s: %d nodes", w.name, w.nodes)
	defer func() { err = errors.Join(err, remove(context.WithoutCancel(ctx), s.kube)) }()
	if err := f.create(ctx); err != nil {
		return r, err
	}
	go f.live(ctx, s.say)
	// 3. The workflow.
	before, err := served(ctx, s.kube)
	if err != nil {
		return r, err
	}
	ours := s.sent.Load()
	began := time.Now()
	defer func() { err = errors.Join(err, s.forget(context.WithoutCancel(ctx), w.name)) }()
	if err := s.submit(ctx, w); err != nil {
		return r, err
	}
	// 4. To its end.
	m := &measurement{stand: s, sweep: w, kubelet: k, arrivals: a, sampler: sampler{kube: s.kube, namespace: s.namespace, workflow: w.name, say: s.say}}
	if err := m.follow(ctx); err != nil {
		return r, err
	}
	after, err := served(ctx, s.kube)
	if err != nil {
		return r, err
	}
	at, last := k.now(), m.kubelet.now().lastEnd
	r.pods, r.argos, r.peak, r.phase = at.pods, at.argos, m.sampler.peak, m.phase
	_, applied := a.count()
	r.applied, r.allRun, r.lastEnd = applied.Sub(began), at.allRun.Sub(began), last.Sub(began)
	r.over = m.over.Sub(last)
	r.total = after - before - (s.sent.Load() - ours)
	if w.byHand {
		return r, nil
	}
	if n, complete := a.completed(); n == r.groups() { // else neither was measured
		r.complete, r.report = complete.Sub(began), m.report.Sub(complete)
	}
	return r, s.verdict(ctx, &r)
}

// hosts are the names of a job's workers, as mpirun has them.
func hosts(job string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-node-0-%d", job, i)
	}
	return names
}

// verdict reads what the run came to.
func (s *stand) verdict(ctx context.Context, r *result) error {
	owner := cluster.Owner{Namespace: s.namespace, Name: r.name}
	records, err := s.seatrial.Records(ctx, owner)
	if err != nil {
		return err
	}
	for _, found := range records {
		plan, groups, ok, err := record.Read(ctx, found)
		if err != nil {
			return err
		}
		if ok {
			report := record.Report(r.name, found.Scope(), plan, groups, nil)
			r.verdict, r.counts = report.Verdict.String(), report.Counts
			s.explain(r.name, report)
			return nil
		}
	}
	return fmt.Errorf("%s left no record", r.name)
}

// explain says why groups did not pass, the reasons without their numbers.
func (s *stand) explain(name string, report v1alpha1.Report) {
	reasons := map[string]int{}
	for _, g := range report.Groups {
		if g.Verdict != v1alpha1.Pass {
			reasons[string(g.Cause)+": "+digits.ReplaceAllString(g.Message, "N")]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		s.say("%s: %d groups: %.300s", name, reasons[reason], reason)
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// submit creates the workflow: the template for MPI over the whole fleet, or one by hand.
func (s *stand) submit(ctx context.Context, w sweep) error {
	if w.byHand {
		return s.submitByHand(ctx, w)
	}
	parameters := []any{}
	for _, p := range [][2]string{
		{"image", image}, {"mpirunPath", "/usr/local/mpi/bin/mpirun"}, {"binary", "/usr/local/bin/all_reduce_perf_mpi"},
		{"args", `["-b", "8", "-e", "8G", "-f", "2"]`}, {"numNodes", fmt.Sprint(w.size)}, {"timeoutPerJob", "1h"},
		{"nodeSelector", fmt.Sprintf(`{%q: ""}`, label)}, {"logProfile", "nccl-bandwidth"}, {"thresholds", "busBandwidthGBps: value >= 300"},
	} {
		parameters = append(parameters, map[string]any{"name": p[0], "value": p[1]})
	}
	_, err := s.dynamic.Resource(workflows).Namespace(s.namespace).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": map[string]any{"name": w.name},
		"spec": map[string]any{"workflowTemplateRef": map[string]any{"name": "workloadrun-mpi"}, "arguments": map[string]any{"parameters": parameters}},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("submitting %s: %w", w.name, err)
	}
	return nil
}

// forget deletes the workflow and waits for the fleet's pods to go, while the kubelet still lives.
func (s *stand) forget(ctx context.Context, name string) error {
	background := metav1.DeletePropagationBackground
	err := s.dynamic.Resource(workflows).Namespace(s.namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil {
		return fmt.Errorf("deleting %s: %w", name, err)
	}
	// What the garbage collector would take minutes for goes at once.
	for _, resource := range []schema.GroupVersionResource{trainJobs, jobSets, jobs, pods} {
		err := s.dynamic.Resource(resource).Namespace(s.namespace).DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background}, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("deleting all %s: %w", resource.Resource, err)
		}
	}
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); time.Sleep(2 * time.Second) {
		left, err := s.kube.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{})
		if err == nil && len(left.Items) == 0 {
			return nil
		}
	}
	return errors.New("some pods of the fleet did not go")
}

// image is that of the published examples. No pod of the fleet pulls it.
const image = "nvcr.io/nvidia/pytorch:26.01-py3"

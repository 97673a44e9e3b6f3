package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// measurement follows one workflow to its end.
type measurement struct {
	stand    *stand
	sweep    sweep
	kubelet  *kubelet
	arrivals *arrivals
	sampler  sampler

	// report is when the run's record was closed, from when on the report can be read; over is when the workflow ended.
	report, over time.Time
	phase        string
}

// follow returns when the workflow has ended and, where it is Seatrial's, its report is there.
func (m *measurement) follow(ctx context.Context) error {
	said, sampled := time.Time{}, time.Time{}
	for {
		now := time.Now()
		if now.Sub(sampled) >= sampleEvery {
			sampled = now
			m.sampler.look(ctx)
		}
		at := m.kubelet.now()
		if now.Sub(said) >= 15*time.Second {
			said = now
			jobs, _ := m.arrivals.count()
			complete, _ := m.arrivals.completed()
			m.stand.say("%s: %d TrainJobs, %d pods, %d launchers run, %d ended, %d Complete; plugin %d requests, %s, %s", m.sweep.name, jobs, at.pods, at.launchers, at.ends, complete,
				m.sampler.peak.requests, kib(int(m.sampler.peak.plugin.most)), m.sampler.peak.plugin.cpu)
		}
		if sampled == now || at.ends >= m.sweep.groups() { // a large Workflow is no matter of every second
			if err := m.look(ctx, at); err != nil {
				return err
			}
		}
		if !m.over.IsZero() {
			m.sampler.look(ctx)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// look asks whether the report is there once all jobs have ended, and whether the workflow is over.
func (m *measurement) look(ctx context.Context, at moment) error {
	if at.ends >= m.sweep.groups() && m.report.IsZero() {
		c, err := m.stand.kube.CoreV1().ConfigMaps(m.stand.namespace).Get(ctx, m.sweep.name+"-seatrial", metav1.GetOptions{})
		if err == nil && c.BinaryData["close"] != nil {
			m.report = time.Now()
			m.stand.say("%s: the report is there %s after the last launcher's end", m.sweep.name, m.report.Sub(at.lastEnd).Round(time.Second))
		}
	}
	w := &unstructured.Unstructured{}
	text := m.sampler.raw(ctx, "/apis/argoproj.io/v1alpha1/namespaces/"+m.stand.namespace+"/workflows/"+m.sweep.name, "")
	if len(text) == 0 {
		return nil // nothing was answered, for now
	}
	if err := json.Unmarshal(text, &w.Object); err != nil {
		return fmt.Errorf("reading the workflow: %w", err)
	}
	finished, _, _ := unstructured.NestedString(w.Object, "status", "finishedAt")
	if finished == "" {
		return nil
	}
	m.over = time.Now()
	m.phase, _, _ = unstructured.NestedString(w.Object, "status", "phase")
	message, _, _ := unstructured.NestedString(w.Object, "status", "message")
	if at.ends < m.sweep.groups() {
		return fmt.Errorf("%s ended as %s before its jobs did: %s", m.sweep.name, m.phase, message)
	}
	return nil
}

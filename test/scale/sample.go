package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// sampleEvery is far from what the run itself asks of the API server.
const sampleEvery = 5 * time.Second

// peak is the most that was seen. Sizes are in bytes of JSON, as the API server sends the object: with managedFields, and binary
// data a third larger than etcd has it.
type peak struct {
	taskSet, workflow     int
	record, recordLargest int
	records               int
	plugin                process
	restarts              int32
	requests              int64
}

// sampler looks at one workflow.
type sampler struct {
	kube                kubernetes.Interface
	namespace, workflow string
	say                 func(string, ...any)
	peak                peak
	agent               string
}

// look takes one sample. What is not there yet, or not any more, leaves the peak as it is.
func (s *sampler) look(ctx context.Context) {
	argo := "/apis/argoproj.io/v1alpha1/namespaces/" + s.namespace
	s.peak.workflow = max(s.peak.workflow, len(s.raw(ctx, argo+"/workflows/"+s.workflow, "")))
	s.peak.taskSet = max(s.peak.taskSet, len(s.raw(ctx, argo+"/workflowtasksets/"+s.workflow, "")))
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	selector := "seatrial.dev/record,seatrial.dev/workflow=" + s.workflow
	if json.Unmarshal(s.raw(ctx, "/api/v1/namespaces/"+s.namespace+"/configmaps", selector), &list) == nil {
		all := 0
		for _, m := range list.Items {
			all += len(m)
			s.peak.recordLargest = max(s.peak.recordLargest, len(m))
		}
		s.peak.record, s.peak.records = max(s.peak.record, all), max(s.peak.records, len(list.Items))
	}
	if err := s.lookAtPlugin(ctx); err != nil && ctx.Err() == nil {
		s.say("looking at the plugin: %v", err)
	}
}

func (s *sampler) raw(ctx context.Context, path, selector string) []byte {
	r := s.kube.CoreV1().RESTClient().Get().AbsPath(path).SetHeader("Accept", "application/json")
	if selector != "" {
		r = r.Param("labelSelector", selector)
	}
	text, err := r.Do(ctx).Raw()
	if err != nil {
		return nil
	}
	return text
}

func (s *sampler) lookAtPlugin(ctx context.Context) error {
	agents, err := s.kube.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: "workflows.argoproj.io/component=agent," + labelWorkflow + "=" + s.workflow})
	if err != nil {
		return err
	}
	for i := range agents.Items {
		p := &agents.Items[i]
		if p.Status.Phase != corev1.PodRunning || p.DeletionTimestamp != nil {
			continue
		}
		for _, c := range p.Status.ContainerStatuses {
			s.peak.restarts = max(s.peak.restarts, c.RestartCount)
		}
		if s.agent != string(p.UID) || s.peak.plugin.look() != nil { // a new one, or its process was started again
			pid, err := findPlugin(string(p.UID))
			if err != nil {
				return err
			}
			s.agent, s.peak.plugin.pid = string(p.UID), pid
			if err := s.peak.plugin.look(); err != nil {
				return err
			}
		}
		n, err := pluginRequests(ctx, p.Status.PodIP)
		if err != nil {
			return err
		}
		s.peak.requests = max(s.peak.requests, n)
	}
	return nil
}

func kib(bytes int) string { return fmt.Sprintf("%d KiB", (bytes+1023)>>10) }

package main

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// running is what a kubelet says of a pod whose containers run and whose readiness probe succeeds. Its init containers have ended well.
func running(p *corev1.Pod, hostIP, ip string, now time.Time) corev1.PodStatus {
	at := metav1.NewTime(now)
	s := corev1.PodStatus{
		Phase: corev1.PodRunning, HostIP: hostIP, HostIPs: []corev1.HostIP{{IP: hostIP}}, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: &at,
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled {
			s.Conditions = append(s.Conditions, c)
		}
	}
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		s.Conditions = append(s.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: at})
	}
	for _, c := range p.Spec.InitContainers {
		s.InitContainerStatuses = append(s.InitContainerStatuses, ended(c, at, at))
	}
	started := true
	for _, c := range p.Spec.Containers {
		s.ContainerStatuses = append(s.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true, Started: &started,
			ContainerID: "simulated://" + string(p.UID), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		})
	}
	return s
}

// succeeded is what a kubelet says of a pod once all of its containers have ended with 0.
func succeeded(p *corev1.Pod, now time.Time) corev1.PodStatus {
	s := *p.Status.DeepCopy()
	at := metav1.NewTime(now)
	s.Phase = corev1.PodSucceeded
	for i := range s.Conditions {
		if c := &s.Conditions[i]; c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			c.Status, c.Reason, c.LastTransitionTime = corev1.ConditionFalse, "PodCompleted", at
		}
	}
	s.ContainerStatuses = nil
	for _, c := range p.Spec.Containers {
		began := at
		for _, old := range p.Status.ContainerStatuses {
			if old.Name == c.Name && old.State.Running != nil {
				began = old.State.Running.StartedAt
			}
		}
		s.ContainerStatuses = append(s.ContainerStatuses, ended(c, began, at))
	}
	return s
}

func ended(c corev1.Container, began, at metav1.Time) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", StartedAt: began, FinishedAt: at},
	}}
}

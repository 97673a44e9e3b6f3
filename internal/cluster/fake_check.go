package cluster

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fakediscovery "k8s.io/client-go/discovery/fake"
)

// Serve lets the fake say that it knows resources of a group and version. It serves none by itself.
func (f *Fake) Serve(groupVersion string, resources ...string) {
	list := &metav1.APIResourceList{GroupVersion: groupVersion}
	for _, r := range resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: r, Namespaced: true})
	}
	discovery, is := f.Kube.Discovery().(*fakediscovery.FakeDiscovery)
	if !is {
		panic("the fake's discovery is not client-go's")
	}
	discovery.Resources = append(discovery.Resources, list)
}

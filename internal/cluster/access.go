package cluster

import (
	"context"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Action is a verb on all objects of one resource, "pods/log" for a subresource.
type Action struct {
	Verb, Group, Resource string
	// Everywhere asks for all namespaces, not for the account's own.
	Everywhere bool
}

// May asks the API server whether a service account may do something: roles, groups and other authorizers together.
func (c *Cluster) May(ctx context.Context, namespace, account string, a Action) (bool, error) {
	resource, sub, _ := strings.Cut(a.Resource, "/")
	spec := authorizationv1.SubjectAccessReviewSpec{
		User:   "system:serviceaccount:" + namespace + ":" + account,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: a.Verb, Group: a.Group, Resource: resource, Subresource: sub,
		},
	}
	if a.Everywhere {
		review, err := c.kube.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return review.Status.Allowed, nil
	}
	// A namespace's admin may ask for what is in it.
	spec.ResourceAttributes.Namespace = namespace
	local := &authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: namespace}, Spec: spec}
	review, err := c.kube.AuthorizationV1().LocalSubjectAccessReviews(namespace).Create(ctx, local, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return review.Status.Allowed, nil
}

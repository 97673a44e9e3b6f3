package cluster

import (
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
)

// Authorize lets may answer what users may do, as an authorizer does. Its error is that of the question.
func (f *Fake) Authorize(may func(user string, a Action) (bool, error)) {
	answer := func(action clienttesting.Action) (bool, runtime.Object, error) {
		create, is := action.(clienttesting.CreateAction)
		if !is {
			return false, nil, nil
		}
		object := create.GetObject().DeepCopyObject()
		spec, status := &authorizationv1.SubjectAccessReviewSpec{}, &authorizationv1.SubjectAccessReviewStatus{}
		switch review := object.(type) {
		case *authorizationv1.LocalSubjectAccessReview:
			spec, status = &review.Spec, &review.Status
		case *authorizationv1.SubjectAccessReview:
			spec, status = &review.Spec, &review.Status
		default:
			return true, nil, fmt.Errorf("%T is no review", object)
		}
		r := spec.ResourceAttributes
		asked := Action{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Everywhere: r.Namespace == ""}
		if r.Subresource != "" {
			asked.Resource += "/" + r.Subresource
		}
		var err error
		status.Allowed, err = may(spec.User, asked)
		return true, object, err
	}
	if r, is := f.Kube.(reactive); is { // the fake is
		r.PrependReactor("create", "localsubjectaccessreviews", answer)
		r.PrependReactor("create", "subjectaccessreviews", answer)
	}
}

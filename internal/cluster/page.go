package cluster

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/pager"
)

// pageSize is how many objects a list brings at once: of 4,000 pods only so many are in memory as they come.
const pageSize = 500

// eachItem calls do for every object of a list that matches a selector, page by page. do must not keep the object. When the API
// server has forgotten where the list was, it begins anew, which it says by begin, and takes the list as a whole.
func eachItem(ctx context.Context, selector string, list pager.ListPageFunc, begin func(), do func(runtime.Object) error) error {
	p := pager.New(list)
	p.PageSize, p.PageBufferSize = pageSize, 0
	o := metav1.ListOptions{LabelSelector: selector}
	begin()
	err := p.EachListItemWithAlloc(ctx, o, do)
	if apierrors.IsResourceExpired(err) {
		p.PageSize = 0
		begin()
		err = p.EachListItemWithAlloc(ctx, o, do)
	}
	return err
}

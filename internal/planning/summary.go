package planning

import (
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/internal/record"
)

// Summary is the plan in one line.
func Summary(p *record.Plan) string {
	message := fmt.Sprintf("%s (%s, %s), %s each (%s), %s", english.Plural(len(p.Nodes), "node", ""), p.Facts.Platform, orUnknown(p.Facts.Architecture), english.Plural(int(p.Facts.GPUs), "GPU", ""), p.Facts.GPUsFrom, sizes(p))
	if n := len(p.Excluded); n > 0 {
		message += fmt.Sprintf(", %d excluded", n)
	}
	if o := p.Options; o.MaxNodes > 0 {
		message += fmt.Sprintf(" (at most %d allowed)", o.MaxNodes)
	}
	if o := p.Options; o.MaxDuration > 0 {
		message += fmt.Sprintf(", until %s at the latest (maxDuration %s)", p.Started.Add(time.Duration(o.MaxDuration)).UTC().Format(time.RFC3339), time.Duration(o.MaxDuration))
	}
	var names []string
	for _, f := range p.Fragments {
		names = append(names, f.Name)
	}
	return message + ", fragments: " + strings.Join(names, " ")
}

// sizes says what the nodes will be cut into.
func sizes(p *record.Plan) string {
	size := int(p.Spec.GroupSize())
	switch {
	case p.Spec.Unpinned():
		return fmt.Sprintf("running 1 unpinned job of %d nodes (%d target nodes not exercised)", size, len(p.Nodes)-size)
	case p.Spec.StrictDomain():
		return "one group for each domain"
	}
	return fmt.Sprintf("groups of %d", size)
}

func orUnknown(architecture string) string {
	if architecture == "" {
		return "architecture unknown"
	}
	return architecture
}

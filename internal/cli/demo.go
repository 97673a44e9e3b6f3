package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/demo"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

func (a *app) demoCommand() *cobra.Command {
	var (
		nodes                 int
		seed                  uint64
		page, logs, threshold string
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Try a made-up fleet, without a cluster",
		Long: `Put a made-up fleet through a sea trial. One of its nodes is slow and one corrupts data; the trial does not know which.
The nodes are cut into pairs, each pair's job writes the log that nccl-tests would, and the logs are read, judged and reported by the
code that does so on a cluster. Nodes of failed pairs are tested again beside good ones.

The exit code is 0 when it has found both, whatever the verdict on the fleet; 1 when it has not.`,
		Example: `  seatrial demo
  seatrial demo --nodes 256 --seed 7 --logs logs && seatrial score logs/*`,
		Args: cobra.NoArgs,
	}
	v := c.Flags()
	v.IntVar(&nodes, "nodes", 64, "size of the fleet, 8 to 1024")
	v.Uint64Var(&seed, "seed", 1, "chance: another seed is another fleet")
	v.StringVar(&threshold, "threshold", "value >= 350", "condition on the bus bandwidth in GB/s")
	v.StringVar(&page, "html", "seatrial-demo.html", "file of the HTML report; \"\" for none")
	v.StringVar(&logs, "logs", "", "also write the made-up logs into this folder")
	c.RunE = a.does(func(*cobra.Command, []string) (Code, error) {
		if nodes < 8 || nodes > 1024 {
			return Misused, misusef("--nodes is %d; 8 to 1024 would do", nodes)
		}
		fleet := demo.NewFleet(nodes, seed)
		a.note("%s", fleet)
		o, err := demo.Run(fleet, threshold)
		if err != nil {
			return Misused, misuse(err)
		}
		a.note("%d jobs in pairs, then %d to settle who is at fault\n", o.Pairs, o.Again)
		if err := report.WriteText(a.stdout, o.Report, a.columns()); err != nil {
			return Unsure, err
		}
		if err := writeDemo(page, logs, o); err != nil {
			return Misused, err
		}
		if page != "" {
			a.note("\nThe same as a page: %s", page)
		}
		return foundBoth(fleet, o), nil
	})
	return c
}

func writeDemo(page, logs string, o demo.Outcome) error {
	if page != "" {
		var text bytes.Buffer
		if err := report.WriteHTML(&text, o.Report); err != nil {
			return err
		}
		if err := os.WriteFile(page, text.Bytes(), 0o644); err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
	}
	if logs == "" {
		return nil
	}
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return fmt.Errorf("making the folder of the logs: %w", err)
	}
	for name, text := range o.Logs {
		if err := os.WriteFile(filepath.Join(logs, name+".log"), []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing a log: %w", err)
		}
	}
	return nil
}

// foundBoth is a pass when the report names the two bad nodes and no other.
func foundBoth(f demo.Fleet, o demo.Outcome) Code {
	found := map[string]bool{}
	for _, n := range o.Report.Nodes {
		if n.Verdict == v1alpha1.Failed { // one that was suspected and cleared has a reason too
			found[n.Name] = true
		}
	}
	if len(found) == 2 && found[f.Slow] && found[f.Corrupt] {
		return Passed
	}
	return Failed
}

package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/pki"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// Bounds of the start. Each is several times what was seen on two busy cores.
const (
	componentPatience = 3 * time.Minute
	nodePatience      = 3 * time.Minute
	webhookPatience   = 2 * time.Minute
)

// starter starts components and records each.
type starter struct {
	*Cluster
	record *record
}

// prepare makes folders, network, certificates and files.
func (s *starter) prepare(ctx context.Context, want Want, now time.Time) error {
	folders := s.layout.CertificateFolders()
	for _, node := range plan.NodeNames(want.Nodes) {
		folders = append(folders, s.layout.NodeFolders(node)...)
	}
	for _, controller := range []plan.Controller{s.layout.JobSet(), s.layout.Trainer()} {
		folders = append(folders, s.layout.ServingCertificates(controller.Name))
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("making the cluster's folders: %w", err)
		}
	}
	if err := s.record.change(func(state *State) {
		*state = State{Folder: s.builder.Folder(), Nodes: want.Nodes, Provider: want.Provider, Requeue: want.Requeue.String(), Started: now, Processes: map[string]proc.Identity{}}
	}); err != nil {
		return err
	}
	if err := s.network.Make(ctx); err != nil {
		return err
	}
	if err := s.certificates(want.Nodes, now); err != nil {
		return err
	}
	files := map[string]string{
		s.layout.Kubeconfig(): s.layout.KubeconfigText("admin"),
		s.layout.Corefile():   s.layout.CorefileText(),
		s.layout.Scheduler():  s.layout.SchedulerText(),
	}
	for _, controller := range []plan.Controller{s.layout.JobSet(), s.layout.Trainer()} {
		files[controller.ConfigFile] = controller.ConfigText
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("writing the cluster's files: %w", err)
		}
	}
	return nil
}

// certificates makes the authority and a certificate for everybody.
func (s *starter) certificates(nodes int, now time.Time) error {
	authority, err := pki.NewAuthority("seatrial", now)
	if err != nil {
		return err
	}
	tokens, err := pki.SigningKey()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		s.layout.PKI("ca.crt"): authority.Certificate(),
		s.layout.PKI("sa.pub"): tokens.Certificate,
		s.layout.PKI("sa.key"): tokens.Key,
	}
	requests := map[string]pki.Request{ // by the path without its ending
		s.layout.PKI("apiserver"): {Name: "kube-apiserver", DNS: []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc"},
			IPs: []string{plan.ServiceAddress, plan.HostAddress, "127.0.0.1"}},
		s.layout.PKI("admin"): {Name: "admin", Organization: "system:masters"},
	}
	for _, node := range plan.NodeNames(nodes) {
		requests[s.layout.PKI(node)] = pki.Request{Name: "system:node:" + node, Organization: "system:nodes", DNS: []string{node}, IPs: []string{plan.HostAddress}}
	}
	for _, controller := range []plan.Controller{s.layout.JobSet(), s.layout.Trainer()} {
		host := controller.Service + "." + controller.Namespace + ".svc"
		requests[filepath.Join(s.layout.ServingCertificates(controller.Name), "tls")] = pki.Request{Name: host, DNS: []string{host}}
	}
	for path, request := range requests {
		pair, err := authority.Issue(request)
		if err != nil {
			return err
		}
		files[path+".crt"], files[path+".key"] = pair.Certificate, pair.Key
	}
	for path, content := range files {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("writing certificates: %w", err)
		}
	}
	return nil
}

// start starts a component inside the cluster's network and records its process.
func (s *starter) start(component plan.Component) error {
	identity, err := proc.Start(proc.Spec{Argv: s.inside(component.Argv), Env: component.Env, Log: s.layout.Log(component.Name)})
	if err != nil {
		return fmt.Errorf("starting %s: %w", component.Name, err)
	}
	return s.record.change(func(state *State) { state.Processes[component.Name] = identity })
}

// startAndAwait starts a component and waits until it is well, or ends.
func (s *starter) startAndAwait(ctx context.Context, component plan.Component) error {
	if err := s.start(component); err != nil {
		return err
	}
	return s.await(ctx, component)
}

var errEnded = errors.New("it ended")

func (s *starter) await(ctx context.Context, component plan.Component) error {
	ended := false
	err := retry(ctx, componentPatience, 200*time.Millisecond, func() error {
		if !s.record.process(component.Name).Alive(proc.Proc{}) {
			ended = true
			return nil
		}
		return s.probe(ctx, component.Probe)
	})
	if ended {
		err = errEnded
	}
	if err != nil {
		return fmt.Errorf("waiting for %s: %w\n%s", component.Name, err, lastLines(s.layout.Log(component.Name), 5))
	}
	return nil
}

// lastLines returns the end of a log, indented.
func lastLines(path string, count int) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "  (" + err.Error() + ")"
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return "  " + strings.Join(lines[max(0, len(lines)-count):], "\n  ")
}

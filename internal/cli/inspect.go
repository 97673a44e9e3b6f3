package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/version"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// answered turns what the cluster says about one thing into a finding.
func answered(what, remedy string, there bool, err error) finding {
	switch {
	case err != nil:
		return finding{what: what, is: plain.Line(err.Error())}
	case !there:
		return finding{state: missing, what: what, is: "is not there", remedy: remedy}
	}
	return finding{state: ok, what: what}
}

func served(k *cluster.Cluster, product, groupVersion, resource, remedy string) finding {
	there, err := k.Serves(groupVersion, resource)
	f := answered(product, remedy, there, err)
	if f.state == missing {
		group, _, _ := strings.Cut(groupVersion, "/")
		f.is = resource + "." + group + " is not served"
	}
	return f
}

func hasNamespace(ctx context.Context, k *cluster.Cluster, name string) finding {
	there, err := k.HasNamespace(ctx, name)
	return answered("namespace "+name, applyNamespace, there, err)
}

// tokenSecret looks for the Secret from which Argo mounts an account's token: without it the agent pod waits for ever
// (argo.md §1.1). Argo fixes its name.
func tokenSecret(ctx context.Context, k *cluster.Cluster, namespace, account string) finding {
	name := account + ".service-account-token"
	there, err := k.HasSecret(ctx, namespace, name)
	return answered("Secret "+name+" in "+namespace, applyNamespace, there, err)
}

func template(ctx context.Context, k *cluster.Cluster, namespace, name string) finding {
	of, there, err := k.TemplateVersion(ctx, namespace, name)
	return sameVersion(answered("WorkflowTemplate "+name+" in "+namespace, applyNamespace, there, err), of, applyNamespace)
}

// sameVersion takes down what is there and of another version: templates, plugin and this program read each other's record.
func sameVersion(f finding, of, apply string) finding {
	if f.state == ok && of != version.Number {
		f.state, f.is = missing, fmt.Sprintf("is of version %s, and this program is %s", orNone(of), version.Number)
		f.remedy = apply + " of " + version.Number + ", or use the program of that version"
	}
	return f
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return plain.Line(text)
}

// pluginOnce looks for the plugin's ConfigMap. Argo takes those of its own namespace and of the workflow's: found in both,
// the agent pod would hold two containers of one name. In two namespaces that are not the run's they may belong to two Argos.
func pluginOnce(ctx context.Context, k *cluster.Cluster, namespace string) finding {
	plugins, err := k.Plugins(ctx, generator.PluginAccount)
	f := answered("executor plugin "+generator.PluginName, applyCluster, len(plugins) > 0, err)
	if f.state != ok {
		return f
	}
	var in []string
	for _, p := range plugins {
		in = append(in, p.Namespace)
		f = sameVersion(f, p.Version, applyCluster)
	}
	slices.Sort(in)
	if len(in) > 1 {
		f.is = fmt.Sprintf("its ConfigMap is in %d namespaces: %s", len(in), strings.Join(in, ", "))
		if f.state == ok {
			f.state = unseen
		}
		if slices.Contains(in, namespace) {
			f.state, f.remedy = missing, fmt.Sprintf("kubectl delete configmap -n %s %s", namespace, generator.PluginAccount)
		}
	}
	return f
}

// pluginsEnabled looks for the switch on the controller's Deployment.
func pluginsEnabled(ctx context.Context, k *cluster.Cluster) finding {
	f := finding{what: "executor plugins in Argo's controller"}
	controllers, err := k.Controllers(ctx)
	if err != nil {
		f.is = plain.Line(err.Error())
		return f
	}
	f.state, f.is = unseen, "no Deployment of the controller is to be seen; a run shows it"
	for _, c := range controllers {
		switch {
		case c.Plugins == nil:
			f.state, f.is = unseen, fmt.Sprintf("Deployment %s/%s does not show it; a run does", c.Namespace, c.Name)
		case *c.Plugins:
			return finding{state: ok, what: f.what}
		case len(controllers) == 1:
			f.state, f.is = missing, fmt.Sprintf("are off in Deployment %s/%s", c.Namespace, c.Name)
			f.remedy = "set ARGO_EXECUTOR_PLUGINS=true there (Helm: controller.extraEnv)"
		default:
			f.is = fmt.Sprintf("are off in Deployment %s/%s, which may not be this namespace's", c.Namespace, c.Name)
		}
	}
	return f
}

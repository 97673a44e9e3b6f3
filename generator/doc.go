// Package generator writes the WorkflowTemplates of Seatrial and the ConfigMap that makes its plugin known to Argo.
//
//  1. Options name the image and the version that everything generated agrees on (options.go).
//  2. Each framework gets one WorkflowTemplate; its parameters are the table of the API (workflowtemplate.go).
//  3. Its DAGs say the order: main calls run, run fans out over groups, report follows whatever happened (dag.go).
//  4. Its leaves are calls of the plugin (step.go) and, at the very end, a container that needs no agent (finish.go).
//  5. The plugin's sidecar is a ConfigMap in the namespace of Argo's controller (plugin.go).
//  6. Objects become YAML in the order of their Go fields, so the same options give the same bytes (yaml.go).
//  7. Each platform fragment gets a WorkflowTemplate, which is where a site edits it (fragment.go, fragments/).
//  8. Files holds all of it, and Check compares a folder with it (files.go).
//
// The package is pure: no cluster, clock, environment or randomness.
// What Argo makes of the result, and why the shape is this one, is in docs/architecture.md.
package generator

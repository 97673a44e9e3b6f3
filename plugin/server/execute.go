package server

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// execute finds the step and runs it. It always returns: a panic becomes a reply.
func (s *Server) execute(ctx context.Context, call Call) (reply Reply) {
	step, known := s.Steps[call.Step]
	label := call.Step
	if !known {
		label = "other" // a name from outside is no label: there could be any number
	}
	s.metrics.begin(label)
	defer s.metrics.end()
	defer func() {
		if cause := recover(); cause != nil {
			s.metrics.panicked()
			s.logger().Error("a step panicked", "step", call.Step, "workflow", call.Workflow.Name, "panic", cause, "stack", string(debug.Stack()))
			reply = failed(fmt.Sprintf("step %s panicked: %v; the plugin's log has the stack", call.Step, cause))
		}
	}()

	// Before the step's name: a template of another version may well have a step that we do not know.
	if call.Version != s.Version && (call.Version != "" || !s.AnyVersion[call.Step]) {
		return failed(fmt.Sprintf("the templates have %s, the plugin has version %s: apply the WorkflowTemplates of version %s to namespace %s",
			versionText(call.Version), s.Version, s.Version, call.Workflow.Namespace))
	}
	if !known {
		return failed(fmt.Sprintf("step %q is not one of %s", call.Step, strings.Join(slices.Sorted(maps.Keys(s.Steps)), ", ")))
	}
	return step.Execute(ctx, call)
}

func versionText(version string) string {
	if version == "" {
		return "no version"
	}
	return "version " + version
}

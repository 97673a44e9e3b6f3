package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// Phase is what a call makes of its workflow node.
type Phase string

// The phases that a step may answer.
const (
	// Poll calls again later and shows nothing: neither the agent nor the controller writes to the cluster.
	Poll Phase = ""
	// Running calls again later and shows the message; each answer makes the controller rewrite the Workflow.
	Running Phase = "Running"
	// Succeeded, Failed and Error are final: a test that passed, a test that did not, trouble that says nothing of the nodes.
	Succeeded Phase = "Succeeded"
	Failed    Phase = "Failed"
	Error     Phase = "Error"
)

const (
	// The pauses of architecture.md §2, for steps that give none.
	defaultRunning = 3 * time.Second
	defaultPoll    = 15 * time.Second
	// jitter is the share of a pause that is added at random.
	jitter = 0.2
	// maxMessage is in runes; Argo's user interface shows it in one line.
	maxMessage = 1000
)

// Reply is a step's answer. The server makes it fit for Argo, so that a step cannot hang a node.
type Reply struct {
	Phase Phase
	// Message is one line for the reader. A final phase without one gets a general line.
	Message string
	// Outputs are the output parameters. With a final phase all that the template declares must be here.
	Outputs map[string]string
	// Requeue is the pause until the next call; 0 means 3 s for Running and 15 s for Poll. Up to a fifth is added. Ignored with a final phase.
	Requeue time.Duration
}

func failed(message string) Reply { return Reply{Phase: Error, Message: message} }

type wireReply struct {
	Node    *wireNode `json:"node,omitempty"`
	Requeue string    `json:"requeue,omitempty"`
}

type wireNode struct {
	Phase   Phase        `json:"phase"`
	Message string       `json:"message,omitempty"`
	Outputs *wireOutputs `json:"outputs,omitempty"`
}

type wireOutputs struct {
	Parameters []wireParameter `json:"parameters"`
}

type wireParameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// notOurs is written {}.
var notOurs = wireReply{}

// settle holds a reply to the rules of the wire: Running and Poll have a requeue, final phases a message and no requeue,
// and there is no other phase.
func (s *Server) settle(step string, r Reply) wireReply {
	node := &wireNode{Phase: r.Phase, Message: plain.Cut(plain.Line(r.Message), maxMessage), Outputs: outputs(r.Outputs)}
	reply := wireReply{Node: node}
	switch r.Phase {
	case Running:
		reply.Requeue = s.pause(r.Requeue, defaultRunning)
	case Poll:
		reply.Requeue = s.pause(r.Requeue, defaultPoll)
	case Succeeded, Failed, Error:
		if node.Message == "" { // an omitted message would leave the last "Running" one in place
			node.Message = strings.TrimSpace(plain.Cut(plain.Line(step), maxMessage/2) + " " + strings.ToLower(string(r.Phase)))
		}
	default:
		node.Phase = Error
		node.Message = plain.Cut(plain.Line(fmt.Sprintf("step %s answered the phase %q, which is none: %s", step, r.Phase, r.Message)), maxMessage)
	}
	return reply
}

// pause returns a pause as Argo reads it: a string, since a number fails the node.
func (s *Server) pause(asked, byDefault time.Duration) string {
	if asked <= 0 {
		asked = byDefault
	}
	random := s.Rand
	if random == nil {
		random = rand.Float64 // spreads calls in time; nothing is kept secret by it
	}
	spread := asked + time.Duration(random()*jitter*float64(asked))
	return max(spread.Round(time.Millisecond), time.Millisecond).String()
}

func outputs(values map[string]string) *wireOutputs {
	if len(values) == 0 {
		return nil
	}
	var o wireOutputs
	for name, value := range values {
		o.Parameters = append(o.Parameters, wireParameter{name, value})
	}
	slices.SortFunc(o.Parameters, func(a, b wireParameter) int { return strings.Compare(a.Name, b.Name) })
	return &o
}

func write(w http.ResponseWriter, reply wireReply) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply) // strings only, so it fails just when the agent is gone
}

package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/isolate"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// isolationRound makes the groups of one round of isolation from what the groups of the run and the earlier rounds showed, and
// hands Argo their ids. A round that was made stands, whatever its groups showed since. An empty one is the last.
func isolationRound(ctx context.Context, r *run, call server.Call, say func(string)) outcome {
	round := roundOf(call)
	if round < 1 || round > isolate.MaxRounds+1 {
		return broken(fmt.Errorf("isolation has no round %d: it has %d at most", round, isolate.MaxRounds))
	}
	say("looking for the nodes behind failed groups")
	if _, err := r.planned(ctx); err != nil { // which reads whether there is one
		return broken(err)
	}
	states, err := record.Groups(ctx, r.record())
	if err != nil {
		return broken(err)
	}
	plan, err := cluster.Update(ctx, r.record(), record.KeyPlan, func(p *record.Plan) error {
		switch made := len(p.Rounds); {
		case p.Groups == nil:
			return record.ErrNoPlan
		case made >= round:
			return cluster.ErrUnchanged
		case made < round-1:
			return fmt.Errorf("round %d of isolation comes after round %d, which was not made", round, made+1)
		}
		p.Rounds = append(p.Rounds, nextRound(p, states, round))
		return nil
	})
	if err != nil {
		return broken(err)
	}
	r.remember(plan)
	made := plan.Rounds[round-1]
	ids, err := json.Marshal(partition.RoundBatches(round, len(made.Groups)))
	if err != nil {
		return broken(err)
	}
	return outcome{message: aboutRound(plan, states, round), outputs: map[string]string{
		"batches": string(ids), "more": strconv.FormatBool(len(made.Groups) > 0), "next": strconv.Itoa(round + 1),
	}}
}

func nextRound(p *record.Plan, states map[string]record.Group, round int) record.Round {
	made := record.Round{Groups: []partition.Group{}, Why: []string{}}
	for i, g := range p.Case(states).Next() {
		made.Groups = append(made.Groups, partition.Group{Name: fmt.Sprintf("%s-%d", partition.RoundName(round), i), Nodes: g.Nodes})
		made.Why = append(made.Why, g.Why)
	}
	return made
}

// aboutRound announces a round: how many groups, and how many there can be in all.
func aboutRound(p *record.Plan, states map[string]record.Group, round int) string {
	groups := len(p.Rounds[round-1].Groups)
	c := p.Case(states)
	switch {
	case groups == 0 && round == 1:
		return "no group failed in a way that leaves suspects"
	case groups == 0:
		text := "nothing is left to settle"
		for _, f := range c.Conclude().Findings {
			text += fmt.Sprintf("; %s %s", f.Node, f.Verdict)
			if len(text) > 300 {
				return text + " …"
			}
		}
		return text
	}
	return fmt.Sprintf("round %d: %s (%s)", round, english.Plural(groups, "group", ""), record.Bound(c))
}

// roundOf is the round of isolation that a call is about; 0 when it is about none.
func roundOf(call server.Call) int {
	if call.Step != stepRound {
		return partition.RoundOf(call.Group)
	}
	body, err := bodyOf(call)
	if err != nil {
		return 0
	}
	round, err := strconv.Atoi(body.Round)
	if err != nil || round < 1 || round > isolate.MaxRounds+1 {
		return 0
	}
	return round
}

// batchOf returns the groups of an id, of the run or of a round of isolation.
func batchOf(plan *record.Plan, id string) ([]partition.Group, error) {
	groups := plan.Groups
	if round := partition.RoundOf(id); round > 0 {
		if round > len(plan.Rounds) {
			return nil, errStale
		}
		groups = plan.Rounds[round-1].Groups
	}
	from, to, err := partition.ParseBatch(id, len(groups))
	if err != nil {
		return nil, err
	}
	return groups[from : to+1], nil
}

// errStale says that a plan was read before the round was made: another process made it.
var errStale = errors.New("the plan has no such round of isolation")

package steps

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// labelLogProfile marks the ConfigMaps whose values are LogProfiles, one a key.
const labelLogProfile = "seatrial.dev/log-profile"

// logProfile finds the profile that a run refers to: a built-in one, or one of the workflow's namespace. discover keeps it in
// the plan, so that what somebody changes later changes no run that has begun.
func (r *run) logProfile(ctx context.Context, name string) (*v1alpha1.LogProfile, error) {
	if p := v1alpha1.BuiltinLogProfile(name); p != nil || name == "" {
		return p, nil
	}
	all, err := r.s.cluster.ConfigMaps(ctx, r.owner.Namespace, labelLogProfile+"=true")
	if err != nil {
		return nil, err
	}
	return profileNamed(name, all)
}

// addProfile puts the profile that a plan's run refers to into the plan, or refuses the plan when there is none, or when it
// reads something else than what is to be measured. Of two, the one for training is kept: bandwidth tables are read without any.
func (r *run) addProfile(ctx context.Context, plan *record.Plan) error {
	if plan.Message != "" {
		return nil
	}
	if name := plan.Options.LogProfile; name != "" {
		if err := r.useProfile(ctx, plan, "logProfile", name, func(p v1alpha1.LogPatterns) bool { return p.BandwidthResult != nil || p.TrainingStep != nil }); err != nil || plan.Message != "" {
			return err
		}
		if plan.LogProfile.Spec.Patterns.BandwidthResult != nil {
			plan.Spec.BandwidthMeasurement = &v1alpha1.BandwidthMeasurement{LogProfileRef: name}
		} else {
			plan.Spec.GoodputMeasurement = &v1alpha1.GoodputMeasurement{LogProfileRef: name}
		}
		return nil
	}
	if m := plan.Spec.BandwidthMeasurement; m != nil {
		if err := r.useProfile(ctx, plan, "spec.bandwidthMeasurement.logProfileRef", m.LogProfileRef, func(p v1alpha1.LogPatterns) bool { return p.BandwidthResult != nil }); err != nil {
			return err
		}
	}
	if m := plan.Spec.GoodputMeasurement; m != nil && plan.Message == "" {
		return r.useProfile(ctx, plan, "spec.goodputMeasurement.logProfileRef", m.LogProfileRef, func(p v1alpha1.LogPatterns) bool { return p.TrainingStep != nil })
	}
	return nil
}

func (r *run) useProfile(ctx context.Context, plan *record.Plan, path, name string, fits func(v1alpha1.LogPatterns) bool) error {
	p, err := r.logProfile(ctx, name)
	var unknown unknownProfile
	switch {
	case errors.As(err, &unknown):
	case err != nil:
		return err
	case p == nil || fits(p.Spec.Patterns):
		plan.LogProfile = p
		return nil
	default:
		unknown = unknownProfile(fmt.Sprintf("%q has no pattern for what is to be measured", name))
	}
	plan.Cause, plan.Message = report.CauseBuildFailed, "BuildFailed: "+path+": "+unknown.Error()
	return nil
}

// profileNamed looks through ConfigMaps. One that cannot be read matters only when no other has the name.
func profileNamed(name string, all []corev1.ConfigMap) (*v1alpha1.LogProfile, error) {
	slices.SortFunc(all, func(a, b corev1.ConfigMap) int { return strings.Compare(a.Name, b.Name) })
	known := slices.Clone(v1alpha1.LogProfiles)
	var unreadable []string
	for _, m := range all {
		for _, key := range slices.Sorted(maps.Keys(m.Data)) {
			p, err := v1alpha1.LoadLogProfile("ConfigMap "+m.Name+"/"+key, []byte(m.Data[key]))
			switch {
			case err != nil:
				unreadable = append(unreadable, oneLine(err))
			case p.Metadata.Name == name:
				return p, nil
			default:
				known = append(known, p.Metadata.Name)
			}
		}
	}
	text := fmt.Sprintf("no log profile is named %q; one of %s would do, or a ConfigMap with the label %s=true that holds it", name, strings.Join(known, ", "), labelLogProfile)
	for _, u := range unreadable {
		text += "; not read: " + u
	}
	return nil, unknownProfile(text)
}

// unknownProfile is the mistake of a user, which fails the run before anything is created; any other error is the cluster's.
type unknownProfile string

// Error is the message.
func (u unknownProfile) Error() string { return string(u) }

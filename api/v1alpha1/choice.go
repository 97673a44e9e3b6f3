package v1alpha1

import "slices"

// Platforms are the names that detection gives, in the order in which they are listed to a user.
var Platforms = []string{"aws", "gcp", "azure", "oci", "onprem", "togetherai", "mistral", "forge", "nscale"}

// Choice is a condition on one text. What it does not say does not matter, so the zero Choice matches every text.
type Choice struct {
	Equals string   `json:"equals,omitempty"`
	In     []string `json:"in,omitempty"`
	NotIn  []string `json:"notIn,omitempty"`
}

// Matches says whether value satisfies all parts. A nil Choice matches.
func (c *Choice) Matches(value string) bool {
	return c == nil ||
		(c.Equals == "" || c.Equals == value) &&
			(len(c.In) == 0 || slices.Contains(c.In, value)) &&
			!slices.Contains(c.NotIn, value)
}

// choice checks the values of a Choice against those that there are; known is nil where any value is possible.
func (v *validator) choice(path string, c *Choice, known []string) {
	if c == nil {
		return
	}
	one := func(path, value string) {
		if value == "" {
			v.add(path, "is empty; leave it out for no condition")
		} else if known != nil && !slices.Contains(known, value) {
			v.add(path, "is %q, which matches nothing; %s", shorten(value), oneOf(value, known))
		}
	}
	if c.Equals != "" {
		one(path+".equals", c.Equals)
	}
	for i, value := range c.In {
		one(element(path+".in", i), value)
	}
	for i, value := range c.NotIn {
		one(element(path+".notIn", i), value)
	}
}

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// misuseError marks an error of the command line, which is answered with a hint at the command's help.
type misuseError struct{ error }

// Unwrap returns what was wrong.
func (e misuseError) Unwrap() error { return e.error }

func misuse(err error) error { return misuseError{err} }

func misusef(format string, args ...any) error { return misuse(fmt.Errorf(format, args...)) }

// group makes a command of subcommands. Cobra shows the help of such a command whatever word follows it, and ends well;
// a script with a misspelt command must not.
func (a *app) group(parent *cobra.Command, children ...*cobra.Command) *cobra.Command {
	parent.Args = cobra.ArbitraryArgs
	parent.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New("no command is given")
		}
		text := fmt.Sprintf("unknown command %q", args[0])
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			text += "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return errors.New(text)
	}
	if parent.SuggestionsMinimumDistance == 0 {
		parent.SuggestionsMinimumDistance = 2 // cobra's own default, which it sets only on its own way
	}
	parent.AddCommand(children...)
	return parent
}

// adoptCompletion makes cobra's own command for shell completion keep to the rules of the others.
func (a *app) adoptCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			a.group(c)
			c.Example = "  source <(seatrial completion bash)"
		}
	}
}

// helpCommand is cobra's, which ends well for a command that there is not.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Print the help of a command",
		Long:    "Print the help of a command, as its flag --help does.",
		Example: "  seatrial help workloadrun run",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("there is no command %q", strings.Join(args, " "))
			}
			return about.Help()
		},
	}
}

// exactly asks for a number of arguments and names them, so that the message says what is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing", names[len(args)])
		case len(args) > len(names):
			return fmt.Errorf("%q is one argument too many", args[len(names)])
		}
		return nil
	}
}

// some asks for one argument or more.
func some(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing", name)
		}
		return nil
	}
}

// choice is a flag with a fixed set of values; the first is the default.
type choice struct {
	value  string
	values []string
}

func newChoice(values ...string) *choice { return &choice{value: values[0], values: values} }

// String returns the value.
func (c *choice) String() string { return c.value }

// Type is what the help calls the value.
func (c *choice) Type() string { return strings.Join(c.values, "|") }

// Set takes one of the values.
func (c *choice) Set(value string) error {
	for _, v := range c.values {
		if v == value {
			c.value = v
			return nil
		}
	}
	return fmt.Errorf("%s would do", strings.Join(c.values, " or "))
}

var _ pflag.Value = (*choice)(nil)

const (
	asText = "text"
	asJSON = "json"
)

// outputFlag adds -o text|json.
func outputFlag(c *cobra.Command) *choice {
	format := newChoice(asText, asJSON)
	c.Flags().VarP(format, "output", "o", "form of the result")
	return format
}

// Package report turns what the groups of a run showed into one verdict for each node and one for the run, and writes it down.
//
//  1. Build puts everything in order: a copy of the groups, empty lists for missing ones, no number that JSON cannot hold (order.go).
//  2. A group that says pass against its own thresholds is taken down (groups.go).
//  3. Each target node is judged by the groups it was in, and the run by its groups and nodes (nodes.go, run.go).
//  4. WriteJSON writes the whole of it, WriteText a page for a terminal or a pipe, Summary the text that fits an Argo parameter (json.go,
//     text.go, summary.go); WriteJUnit, WriteMarkdown and WriteHTML write what other programs show, from a copy whose every text is
//     printable (clean.go, junit.go, markdown.go, html.go with its drawings in chart.go and timeline.go).
//
// The package is pure, and the same input gives the same bytes. Whatever is missing, unfinished or empty is never a pass.
package report

// Package version says which Seatrial this is. Templates carry the number, so that a plugin of another one can say so.
package version

// Number is the release. The generated templates and manifests carry it.
const Number = "0.1.0"

// Commit is set when a release is built; empty otherwise.
var Commit string

// Argo is the range of Argo Workflows that the templates and the plugin are made for.
const Argo = "3.6 to 4.1"

// Package docs keeps docs/reference true: its tests make each page from the code and compare, and write the pages anew with -update.
//
//  1. comments reads the doc comments of api/v1alpha1 (comments_test.go).
//  2. The report's JSON Schema and the pages of types are made of the types and those comments (schema_test.go, types_test.go).
//  3. The page of templates is made of the generator's own, the examples are loaded as a user's file is (templates_test.go, examples_test.go).
//
// The page of the command line is made where the commands are (internal/cli).
package docs

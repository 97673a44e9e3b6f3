// Package parse turns the text of a benchmark, training or launch log into typed samples, in one pass and in flat memory.
//
//  1. Bytes become lines, however the input was split; a line has at most 64 KiB (parser.go).
//  2. Lines that only tell how a library set itself up are skipped before anything is looked at (noise in parser.go).
//  3. What other programs put around a line is taken off: timestamps, tags, labels, colours, a lost '#' (prefix.go);
//     a line of a JSON logger is unpacked into the lines that it carries (unpack.go).
//  4. A line that begins with a digit is tried as a row of a table, read by the table's header (header.go, row.go).
//  5. Any other line is scanned once for every word that matters (scan.go, signals.go), and the words that it has choose
//     who reads it: the facts around a table (test.go), failures (failure.go, cause.go), launch messages (launch.go),
//     a result written as JSON (json.go), steps of a training (train.go and one file for each family of layouts).
//  6. Rows are folded by size, failures are counted and the first kept, so that the result stays small (table.go, log.go).
//
// A new layout is a file with its reader, and its words in signals.go.
//
// The package says what the text holds, and judges nothing: package score does. A number that is not in the text never
// appears in a Log; a row or a footer that the end of the log cut in two is dropped.
package parse

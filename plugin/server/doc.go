// Package server speaks Argo's executor plugin protocol, so that a step is a function from a call to a reply.
//
//  1. A request is admitted or not: path, method, state of the server, token, size (server.go, token.go).
//  2. Its body is read into a Call, or found to be for another plugin (call.go).
//  3. The step runs; a panic becomes a reply (execute.go).
//  4. The reply is brought into the form that Argo takes: requeue, phase, message, outputs (reply.go).
//  5. Health and counters are served beside it, on a port of their own (health.go).
//
// Argo's agent is strict: any status but 200 ends the node, except 503, which it tries again for about 15 s, and 404, after which it never
// calls the plugin again. It asks every plugin for every template, and takes {} for "not mine". The wire structs are our own, so that one
// binary serves Argo 3.6 to 4.x.
package server

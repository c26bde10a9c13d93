//go:build tools

// Package tools names the program that is built, so that go.mod requires what it needs.
package tools

import _ "volcano.sh/volcano/cmd/scheduler"

//go:build tools

// Package tools names the program that is built from this module, so that `go mod tidy` keeps its requirements.
package tools

import _ "github.com/prometheus/prometheus/cmd/promtool"

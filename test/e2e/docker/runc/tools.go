//go:build tools

// Package tools names the program that runs containers, so that go.mod keeps its module.
package tools

import _ "github.com/opencontainers/runc"

//go:build tools

// Package tools names the program that is built from this module, so that `go mod tidy` keeps its requirements.
package tools

import _ "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"

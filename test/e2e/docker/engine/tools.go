//go:build tools

// Package tools names the programs of the engine, so that go.mod keeps their modules.
package tools

import (
	_ "github.com/containerd/containerd/v2/cmd/containerd"
	_ "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2"
	_ "github.com/moby/moby/v2/cmd/dockerd"
)

//go:build tools

// Package tools names the programs of the node, so that go.mod keeps their modules.
package tools

import (
	_ "github.com/containernetworking/plugins/plugins/ipam/host-local"
	_ "github.com/containernetworking/plugins/plugins/main/bridge"
	_ "github.com/containernetworking/plugins/plugins/main/loopback"
	_ "k8s.io/kubernetes/cmd/kubelet"
)

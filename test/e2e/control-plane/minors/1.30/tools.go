//go:build tools

// Package tools names the command that is built, so that go.mod keeps its module.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"

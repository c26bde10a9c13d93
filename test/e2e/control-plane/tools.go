//go:build tools

// Package tools names the commands that the control plane is made of, so that go.mod keeps their modules.
package tools

import (
	_ "github.com/yannh/kubeconform/cmd/kubeconform"
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "sigs.k8s.io/kwok/cmd/kwok"
)

//go:build tools

// Package tools names the command that is built, so that go.mod keeps its module.
package tools

import _ "helm.sh/helm/v4/cmd/helm"

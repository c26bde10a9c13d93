// Runs the tables of the allocator's own tests on each of its implementations, and writes each case with its answers to GANTRY_TABLES. A copy of
// k8s.io/dynamic-resource-allocation compiles it in the folder structured.
package structured

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured/internal"
	"k8s.io/dynamic-resource-allocation/structured/internal/allocatortesting"
	"k8s.io/klog/v2/ktesting"
)

// What is recorded of one case.
type recorded struct {
	Name     string                       `json:"name"`
	Features []string                     `json:"features"`
	Node     *v1.Node                     `json:"node"`
	Classes  []*resourceapi.DeviceClass   `json:"classes"`
	Slices   []*resourceapi.ResourceSlice `json:"slices"`
	Claims   []*resourceapi.ResourceClaim `json:"claims"`
	Whole    []string                     `json:"whole"`
	Shares   map[string]map[string]string `json:"shares"`
	Answers  map[string]answer            `json:"answers"`
}

// Answers are by implementation; `all` is that of the one which has every feature, with every feature.
type answer struct {
	Error       string                         `json:"error,omitempty"`
	Allocations []resourceapi.AllocationResult `json:"allocations,omitempty"`
}

// Share IDs are random.
var share = types.UID("share")

type constructor = func(
	ctx context.Context,
	features Features,
	state AllocatedState,
	classes DeviceClassLister,
	slices []*resourceapi.ResourceSlice,
	cache *cel.Cache,
) (internal.Allocator, error)

// Stands between a test and the allocator that it asks. The tests want to know how often it searched.
type listener struct {
	internal.Allocator
	heard func(node *v1.Node, claims []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult, err error)
}

func (l listener) Allocate(ctx context.Context, node *v1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	results, err := l.Allocator.Allocate(ctx, node, claims)
	l.heard(node, claims, results, err)
	return results, err
}

type countingListener struct {
	listener
	internal.AllocatorExtended
}

func newAllocatorOf(name string) constructor {
	for _, available := range availableAllocators {
		if available.name == name {
			return func(ctx context.Context, features Features, state AllocatedState, classes DeviceClassLister, slices []*resourceapi.ResourceSlice, cache *cel.Cache) (internal.Allocator, error) {
				allocator, err := available.newAllocator(ctx, features, state, classes, slices, cache)
				if err != nil {
					return nil, err
				}
				return allocator.(internal.Allocator), nil
			}
		}
	}
	return nil
}

func answerOf(t testing.TB, results []resourceapi.AllocationResult, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	// The tests write into the results afterwards.
	text, failure := json.Marshal(results)
	if failure != nil {
		t.Fatal(failure)
	}
	var copied []resourceapi.AllocationResult
	if failure := json.Unmarshal(text, &copied); failure != nil {
		t.Fatal(failure)
	}
	for _, one := range copied {
		for i := range one.Devices.Results {
			if one.Devices.Results[i].ShareID != nil {
				one.Devices.Results[i].ShareID = &share
			}
		}
	}
	return answer{Allocations: copied}
}

func sharesOf(state AllocatedState) map[string]map[string]string {
	shares := map[string]map[string]string{}
	for id := range state.AllocatedSharedDeviceIDs {
		shares[id.GetDeviceID().String()] = map[string]string{}
	}
	for id, capacity := range state.AggregatedCapacity {
		amounts := map[string]string{}
		for name, amount := range capacity {
			amounts[string(name)] = amount.String()
		}
		shares[id.String()] = amounts
	}
	return shares
}

func wholeOf(state AllocatedState) []string {
	whole := []string{}
	for id := range state.AllocatedDevices {
		whole = append(whole, id.String())
	}
	sort.Strings(whole)
	return whole
}

func TestRecordTables(t *testing.T) {
	cases := map[string]*recorded{}
	everything := newAllocatorOf(internal.Experimental)
	for _, available := range availableAllocators {
		original := newAllocatorOf(available.name)
		listening := func(ctx context.Context, features Features, state AllocatedState, classes DeviceClassLister, slices []*resourceapi.ResourceSlice, cache *cel.Cache) (internal.Allocator, error) {
			allocator, err := original(ctx, features, state, classes, slices, cache)
			if err != nil {
				return nil, err
			}
			underlying := logr.FromContextOrDiscard(ctx).GetSink().(ktesting.Underlier).GetUnderlying().(testing.TB)
			parts := strings.Split(underlying.Name(), "/")
			name := parts[len(parts)-1]
			heard := func(node *v1.Node, claims []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult, err error) {
				// These are about a context that ends, and not about devices.
				if ctx.Err() != nil || len(parts) > 3 {
					return
				}
				one := cases[name]
				if one == nil {
					list, _ := classes.List()
					one = &recorded{
						Name: name, Features: sets.List(features.Set()), Node: node, Classes: list, Slices: slices, Claims: claims,
						Whole: wholeOf(state), Shares: sharesOf(state), Answers: map[string]answer{},
					}
					cases[name] = one
					full, failure := everything(ctx, internal.FeaturesAll, state, classes, slices, cel.NewCache(1, cel.Features{
						EnableConsumableCapacity: true, EnableListTypeAttributes: true,
					}))
					if failure != nil {
						one.Answers["all"] = answer{Error: failure.Error()}
					} else {
						fullResults, failure := full.Allocate(ctx, node, claims)
						one.Answers["all"] = answerOf(t, fullResults, failure)
					}
				}
				one.Answers[available.name] = answerOf(t, results, err)
			}
			plain := listener{Allocator: allocator, heard: heard}
			if counting, ok := allocator.(internal.AllocatorExtended); ok {
				return countingListener{listener: plain, AllocatorExtended: counting}, nil
			}
			return plain, nil
		}
		t.Run(available.name, func(t *testing.T) {
			allocatortesting.TestAllocator(t, available.supportedFeatures, listening)
			if available.name != internal.Stable {
				allocatortesting.TestLexicographicalAllocator(t, available.supportedFeatures, listening)
			}
		})
	}
	names := []string{}
	for name := range cases {
		names = append(names, name)
	}
	sort.Strings(names)
	var out bytes.Buffer
	for _, name := range names {
		if err := json.NewEncoder(&out).Encode(cases[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(os.Getenv("GANTRY_TABLES"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

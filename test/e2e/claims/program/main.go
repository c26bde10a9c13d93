// Program that asks the allocator of Kubernetes: one world as JSON in each line of standard input, one answer in each line of standard output.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
)

type device struct {
	Driver, Pool, Device string
	Capacity             map[resourceapi.QualifiedName]resource.Quantity
}

type world struct {
	Node    v1.Node
	Slices  []*resourceapi.ResourceSlice
	Classes []*resourceapi.DeviceClass
	Claims  []*resourceapi.ResourceClaim
	Whole   []device
	Shares  []device
}

type answer struct {
	Error  string                                         `json:"error,omitempty"`
	Claims [][]resourceapi.DeviceRequestAllocationResult `json:"claims,omitempty"`
}

type classes []*resourceapi.DeviceClass

func (c classes) List() ([]*resourceapi.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourceapi.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no device class %s", name)
}

func (c classes) GetDeviceClass(string) *resourceapi.DeviceClass { return nil }

func ask(w world) answer {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, d := range w.Whole {
		state.AllocatedDevices.Insert(structured.MakeDeviceID(d.Driver, d.Pool, d.Device))
	}
	for _, d := range w.Shares {
		id := structured.MakeDeviceID(d.Driver, d.Pool, d.Device)
		state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, nil))
		state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, d.Capacity))
	}
	features := structured.Features{
		AdminAccess: true, PrioritizedList: true, PartitionableDevices: true, DeviceTaints: true,
		DeviceBindingAndStatus: true, ConsumableCapacity: true, ListTypeAttributes: true,
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	allocator, err := structured.NewAllocator(ctx, features, state, classes(w.Classes), w.Slices, cel.NewCache(100, cel.Features{EnableConsumableCapacity: true}))
	if err != nil {
		return answer{Error: err.Error()}
	}
	results, err := allocator.Allocate(ctx, &w.Node, w.Claims)
	if err != nil {
		return answer{Error: err.Error()}
	}
	out := answer{}
	for _, result := range results {
		out.Claims = append(out.Claims, result.Devices.Results)
	}
	return out
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var w world
		if err := json.Unmarshal(in.Bytes(), &w); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := out.Encode(ask(w)); err != nil {
			os.Exit(1)
		}
	}
}

// A driver of dynamic resource allocation without devices: it publishes a slice for its node, and a prepared claim puts the names of its devices
// into the environment of the containers that use it, by CDI.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

type driver struct {
	name string
	// Where a container runtime looks for devices.
	cdi string
}

type edits struct {
	Env []string `json:"env"`
}

type device struct {
	Name  string `json:"name"`
	Edits edits  `json:"containerEdits"`
}

type specification struct {
	Version string   `json:"cdiVersion"`
	Kind    string   `json:"kind"`
	Devices []device `json:"devices"`
}

func (d *driver) kind() string { return d.name + "/claim" }

// No name is used for two claims, so a runtime that remembers a file never mixes them up.
func (d *driver) file(claim types.UID) string {
	return filepath.Join(d.cdi, fmt.Sprintf("%s-%s.json", d.name, claim))
}

func (d *driver) PrepareResourceClaims(
	_ context.Context, claims []*resourceapi.ResourceClaim,
) (map[types.UID]kubeletplugin.PrepareResult, error) {
	results := map[types.UID]kubeletplugin.PrepareResult{}
	for _, claim := range claims {
		results[claim.UID] = d.prepare(claim)
	}
	return results, nil
}

func (d *driver) prepare(claim *resourceapi.ResourceClaim) kubeletplugin.PrepareResult {
	described := specification{Version: "0.6.0", Kind: d.kind()}
	var prepared []kubeletplugin.Device
	for index, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != d.name {
			continue
		}
		name := fmt.Sprintf("%s-%d", claim.UID, index)
		described.Devices = append(described.Devices, device{
			Name:  name,
			Edits: edits{Env: []string{fmt.Sprintf("CLAIMED_%d=%s/%s", index, result.Pool, result.Device)}},
		})
		prepared = append(prepared, kubeletplugin.Device{
			Requests:     []string{result.Request},
			PoolName:     result.Pool,
			DeviceName:   result.Device,
			CDIDeviceIDs: []string{d.kind() + "=" + name},
		})
	}
	text, err := json.Marshal(described)
	if err == nil {
		err = os.WriteFile(d.file(claim.UID), text, 0o644)
	}
	log.Printf("prepared %s/%s: %s", claim.Namespace, claim.Name, text)
	return kubeletplugin.PrepareResult{Devices: prepared, Err: err}
}

func (d *driver) UnprepareResourceClaims(
	_ context.Context, claims []kubeletplugin.NamespacedObject,
) (map[types.UID]error, error) {
	results := map[types.UID]error{}
	for _, claim := range claims {
		err := os.Remove(d.file(claim.UID))
		if os.IsNotExist(err) {
			err = nil
		}
		log.Printf("unprepared %s", claim)
		results[claim.UID] = err
	}
	return results, nil
}

func (d *driver) HandleError(_ context.Context, err error, message string) {
	log.Printf("%s: %v", message, err)
}

func main() {
	name := flag.String("driver", "gpu.example.com", "name of the driver")
	node := flag.String("node", "", "name of the node")
	kubeconfig := flag.String("kubeconfig", "", "path of a kubeconfig")
	cdi := flag.String("cdi", "/var/run/cdi", "folder of CDI files")
	count := flag.Int("devices", 8, "number of devices")
	flag.Parse()
	asked, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(asked, &driver{name: *name, cdi: *cdi}, *node, *kubeconfig, *count); err != nil {
		log.Fatal(err)
	}
}

func run(asked context.Context, d *driver, node, kubeconfig string, count int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	data := filepath.Join(kubeletplugin.KubeletPluginsDir, d.name)
	for _, folder := range []string{data, d.cdi} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	helper, err := kubeletplugin.Start(asked, d,
		kubeletplugin.DriverName(d.name), kubeletplugin.NodeName(node), kubeletplugin.KubeClient(client))
	if err != nil {
		return err
	}
	defer helper.Stop()
	pool := resourceslice.Pool{Slices: []resourceslice.Slice{{Devices: devices(count)}}}
	if err := helper.PublishResources(asked, resourceslice.DriverResources{
		Pools: map[string]resourceslice.Pool{node: pool},
	}); err != nil {
		return err
	}
	<-asked.Done()
	return nil
}

// Half of the devices have twice the memory of the other half.
func devices(count int) []resourceapi.Device {
	all := make([]resourceapi.Device, count)
	for index := range all {
		memory, product := "40Gi", "small"
		if index*2 >= count {
			memory, product = "80Gi", "large"
		}
		number := int64(index)
		all[index] = resourceapi.Device{
			Name: fmt.Sprintf("gpu-%d", index),
			Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
				"index": {IntValue: &number}, "product": {StringValue: &product},
			},
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
				"memory": {Value: resource.MustParse(memory)},
			},
		}
	}
	return all
}

// A device plugin without devices: it offers a number of names to the kubelet, and tells a container by an environment variable which it got. It
// prefers the last names, so that pods get other devices than a scheduler that begins with the first would expect.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	plugin "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const socketName = "gantry-test.sock"

type server struct {
	plugin.UnimplementedDevicePluginServer
	devices []*plugin.Device
}

func (s *server) GetDevicePluginOptions(context.Context, *plugin.Empty) (*plugin.DevicePluginOptions, error) {
	return &plugin.DevicePluginOptions{GetPreferredAllocationAvailable: true}, nil
}

func (s *server) GetPreferredAllocation(
	_ context.Context, request *plugin.PreferredAllocationRequest,
) (*plugin.PreferredAllocationResponse, error) {
	response := &plugin.PreferredAllocationResponse{}
	for _, container := range request.ContainerRequests {
		available := slices.Sorted(slices.Values(container.AvailableDeviceIDs))
		last := available[len(available)-int(container.AllocationSize):]
		response.ContainerResponses = append(response.ContainerResponses, &plugin.ContainerPreferredAllocationResponse{DeviceIDs: last})
	}
	return response, nil
}

func (s *server) ListAndWatch(_ *plugin.Empty, stream grpc.ServerStreamingServer[plugin.ListAndWatchResponse]) error {
	if err := stream.Send(&plugin.ListAndWatchResponse{Devices: s.devices}); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (s *server) Allocate(_ context.Context, request *plugin.AllocateRequest) (*plugin.AllocateResponse, error) {
	response := &plugin.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses, &plugin.ContainerAllocateResponse{
			Envs: map[string]string{"GIVEN_DEVICES": strings.Join(container.DevicesIds, ",")},
		})
	}
	return response, nil
}

func main() {
	resource := flag.String("resource", "nvidia.com/gpu", "name of the resource")
	count := flag.Int("devices", 8, "number of devices")
	folder := flag.String("folder", plugin.DevicePluginPath, "folder of the kubelet's sockets")
	flag.Parse()
	devices := make([]*plugin.Device, *count)
	for index := range devices {
		devices[index] = &plugin.Device{ID: fmt.Sprintf("GPU-%d", index), Health: plugin.Healthy}
	}
	for {
		if err := serveUntilRestart(*folder, *resource, &server{devices: devices}); err != nil {
			log.Printf("%v; trying again", err)
			time.Sleep(500 * time.Millisecond)
		}
	}
}

// A kubelet that starts removes the sockets of all plugins, and expects them to register again.
func serveUntilRestart(folder, resource string, implementation *server) error {
	kubelet := filepath.Join(folder, filepath.Base(plugin.KubeletSocket))
	own := filepath.Join(folder, socketName)
	before, err := os.Stat(kubelet)
	if err != nil {
		return err
	}
	os.Remove(own)
	listener, err := net.Listen("unix", own)
	if err != nil {
		return err
	}
	grpcServer := grpc.NewServer()
	plugin.RegisterDevicePluginServer(grpcServer, implementation)
	go grpcServer.Serve(listener)
	defer grpcServer.Stop()
	if err := register(kubelet, resource); err != nil {
		return err
	}
	log.Printf("registered %d devices as %s", len(implementation.devices), resource)
	for {
		time.Sleep(200 * time.Millisecond)
		after, err := os.Stat(kubelet)
		if _, gone := os.Stat(own); err != nil || gone != nil || !os.SameFile(before, after) {
			return fmt.Errorf("the kubelet restarted")
		}
	}
}

func register(kubelet, resource string) error {
	connection, err := grpc.NewClient("unix://"+kubelet, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	within, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err = plugin.NewRegistrationClient(connection).Register(within, &plugin.RegisterRequest{
		Version: plugin.Version, Endpoint: socketName, ResourceName: resource,
	})
	return err
}

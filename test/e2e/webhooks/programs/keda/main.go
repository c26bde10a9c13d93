// Judges objects of KEDA with its webhooks, and then, as the operator does, by building the scaler of each trigger.
//
// Some scalers call what they are to measure as soon as they are built. The program therefore runs in a network namespace of its own,
// without any interface: a scaler whose metadata is accepted then fails with an error of the network, or not within a second.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers/authentication"
	"github.com/kedacore/keda/v2/pkg/scaling"

	"gantry/judge/admission"
	"gantry/judge/verdict"
)

const isolated = "GANTRY_ISOLATED"

func main() {
	if os.Getenv(isolated) == "" {
		isolate()
		return
	}
	ctrl.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	must(clientgoscheme.AddToScheme(scheme))
	must(kedav1alpha1.AddToScheme(scheme))
	// The webhooks keep their client in a variable of the package.
	var webhooks sync.Mutex
	verdict.ServeParallel(func(question verdict.Question) error {
		objects := client.WithWatch(fake.NewClientBuilder().WithScheme(scheme).
			WithRESTMapper(mapper()).WithObjects(admission.Objects(scheme, question.Beside)...).Build())
		if err := admit(&webhooks, scheme, objects, question.Object); err != nil {
			return err
		}
		return build(scheme, objects, question.Object)
	}, 64)
}

// Starts the program again without a network.
func isolate() {
	self, err := os.Executable()
	must(err)
	again := exec.Command(self)
	again.Env = append(os.Environ(), isolated+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}},
	}
	if err := again.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "not run without a network:", err)
		os.Exit(1)
	}
}

type manager struct{ *admission.Manager }

func (manager) GetEventRecorder(string) events.EventRecorder { return events.NewFakeRecorder(1000) }
func (m manager) GetRESTMapper() meta.RESTMapper             { return m.Client.RESTMapper() }

func admit(turn *sync.Mutex, scheme *runtime.Scheme, objects client.Client, object []byte) error {
	turn.Lock()
	defer turn.Unlock()
	manager := manager{admission.NewManager(scheme, objects)}
	must((&kedav1alpha1.ScaledObject{}).SetupWebhookWithManager(manager, false))
	must((&kedav1alpha1.ScaledJob{}).SetupWebhookWithManager(manager))
	must((&kedav1alpha1.TriggerAuthentication{}).SetupWebhookWithManager(manager))
	must((&kedav1alpha1.ClusterTriggerAuthentication{}).SetupWebhookWithManager(manager))
	return manager.Webhooks.Judge(object)
}

// Builds the scalers one by one: an error of the network at one does not keep the next from being built.
func build(scheme *runtime.Scheme, objects client.Client, raw []byte) error {
	switch verdict.KindOf(raw).Kind {
	case "ScaledObject":
		scaled := &kedav1alpha1.ScaledObject{}
		if err := json.Unmarshal(raw, scaled); err != nil {
			return err
		}
		scaled.Status.ScaleTargetGVKR = targetOf(scaled)
		for _, trigger := range scaled.Spec.Triggers {
			one := scaled.DeepCopy()
			one.Spec.Triggers = []kedav1alpha1.ScaleTriggers{trigger}
			if len(scaled.Spec.Triggers) > 1 && one.Spec.Advanced != nil {
				one.Spec.Advanced.ScalingModifiers = kedav1alpha1.ScalingModifiers{}
			}
			if err := buildOne(scheme, objects, one); err != nil {
				return err
			}
		}
	case "ScaledJob":
		scaled := &kedav1alpha1.ScaledJob{}
		if err := json.Unmarshal(raw, scaled); err != nil {
			return err
		}
		for _, trigger := range scaled.Spec.Triggers {
			one := scaled.DeepCopy()
			one.Spec.Triggers = []kedav1alpha1.ScaleTriggers{trigger}
			if err := buildOne(scheme, objects, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func buildOne(scheme *runtime.Scheme, objects client.Client, object kedav1alpha1.ScalableObject) error {
	clientset := &authentication.AuthClientSet{CoreV1Interface: kubefake.NewSimpleClientset().CoreV1()}
	handler := scaling.NewScaleHandler(objects, nil, scheme, 200*time.Millisecond, events.NewFakeRecorder(1000), clientset)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	built := make(chan error, 1)
	go func() {
		defer func() {
			if panicked := recover(); panicked != nil {
				built <- verdict.Unclear{Reason: fmt.Sprint("panic: ", panicked)}
			}
		}()
		_, err := handler.GetScalersCache(ctx, object)
		built <- err
	}()
	select {
	case err := <-built:
		if isOfNetwork(err) {
			return nil
		}
		return err
	// Long after the context has ended: on a busy machine the parameters are not read yet when it does.
	case <-time.After(10 * time.Second):
		return verdict.Unclear{Reason: "not built within 10 s"}
	}
}

func targetOf(scaled *kedav1alpha1.ScaledObject) *kedav1alpha1.GroupVersionKindResource {
	gv, kind := schema.GroupVersion{Group: "apps", Version: "v1"}, "Deployment"
	if scaled.Spec.ScaleTargetRef != nil {
		if scaled.Spec.ScaleTargetRef.APIVersion != "" {
			gv, _ = schema.ParseGroupVersion(scaled.Spec.ScaleTargetRef.APIVersion)
		}
		if scaled.Spec.ScaleTargetRef.Kind != "" {
			kind = scaled.Spec.ScaleTargetRef.Kind
		}
	}
	return &kedav1alpha1.GroupVersionKindResource{Group: gv.Group, Version: gv.Version, Kind: kind, Resource: strings.ToLower(kind) + "s"}
}

var network = regexp.MustCompile(
	`network is unreachable|no such host|server misbehaving|dial tcp|dial udp|i/o timeout|deadline exceeded|connection refused|` +
		`run out of available brokers|no servers available|no connections were made|cannot assign requested address|context canceled|no children to pick from`)

func isOfNetwork(err error) bool {
	if err == nil {
		return false
	}
	// What net/url cannot parse is an error of the same interface.
	var address *url.Error
	if errors.As(err, &address) && address.Op == "parse" {
		return false
	}
	var fault net.Error
	return errors.As(err, &fault) || errors.Is(err, context.DeadlineExceeded) || network.MatchString(err.Error())
}

func mapper() meta.RESTMapper {
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		corev1.SchemeGroupVersion.WithKind("Pod"),
		corev1.SchemeGroupVersion.WithKind("Secret"),
		corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		corev1.SchemeGroupVersion.WithKind("LimitRange"),
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
		{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		kedav1alpha1.GroupVersion.WithKind("ScaledObject"),
		kedav1alpha1.GroupVersion.WithKind("ScaledJob"),
		kedav1alpha1.GroupVersion.WithKind("TriggerAuthentication"),
	} {
		mapper.Add(gvk, meta.RESTScopeNamespace)
	}
	mapper.Add(kedav1alpha1.GroupVersion.WithKind("ClusterTriggerAuthentication"), meta.RESTScopeRoot)
	return mapper
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

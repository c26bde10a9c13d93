// Kueue's own controllers and scheduler, with MultiKueue, for one cluster.
//
// The setup is that of cmd/kueue. It leaves out what needs an installation: certificates in /etc, the visibility server, and leader election. The
// webhooks of jobs are served with a certificate that is made here, in the folder that the configuration names.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueuev1beta1 "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	qcache "sigs.k8s.io/kueue/pkg/cache/queue"
	schdcache "sigs.k8s.io/kueue/pkg/cache/scheduler"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/constants"
	"sigs.k8s.io/kueue/pkg/controller/admissionchecks/multikueue"
	"sigs.k8s.io/kueue/pkg/controller/core"
	"sigs.k8s.io/kueue/pkg/controller/core/indexer"
	"sigs.k8s.io/kueue/pkg/controller/jobframework"
	_ "sigs.k8s.io/kueue/pkg/controller/jobs/job"
	"sigs.k8s.io/kueue/pkg/controller/workloaddispatcher"
	"sigs.k8s.io/kueue/pkg/resources"
	"sigs.k8s.io/kueue/pkg/scheduler"
	preemptexpectations "sigs.k8s.io/kueue/pkg/scheduler/preemption/expectations"
	"sigs.k8s.io/kueue/pkg/util/kubeversion"
)

func main() {
	file := flag.String("config", "", "configuration of Kueue")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	ctx := ctrl.SetupSignalHandler()

	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, kueue.AddToScheme, kueuev1beta1.AddToScheme, configapi.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	options, cfg, err := config.Load(scheme, *file)
	must(err)
	must(config.AddWebhookSettingsTo(&options, &cfg))
	writeCertificate(cfg.Webhook.CertDir)
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), options)
	must(err)
	setUp(ctx, mgr, &cfg)
	must(mgr.Start(ctx))
}

func setUp(ctx context.Context, mgr ctrl.Manager, cfg *configapi.Configuration) {
	formatter := resources.NewResourceFormatter()
	expectations := preemptexpectations.New()
	cache := schdcache.New(mgr.GetClient(), schdcache.WithResourceFormatter(formatter))
	requeuer := qcache.NewRequeuer()
	must(mgr.Add(requeuer))
	queues := qcache.NewManager(mgr.GetClient(), cache, requeuer,
		qcache.WithPreemptionExpectations(expectations), qcache.WithResourceFormatter(formatter))

	frameworks := sets.New(cfg.Integrations.Frameworks...)
	must(indexer.Setup(ctx, mgr.GetFieldIndexer()))
	must(multikueue.SetupIndexer(ctx, mgr.GetFieldIndexer(), *cfg.Namespace))
	must(jobframework.SetupIndexes(ctx, mgr.GetFieldIndexer(), jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks)))

	client, err := discovery.NewDiscoveryClientForConfig(mgr.GetConfig())
	must(err)
	version := kubeversion.NewServerVersionFetcher(client)
	must(mgr.Add(version))
	must(version.FetchServerVersion())

	_, err = core.SetupControllers(mgr, queues, cache, cfg,
		core.SetupControllersOpts{PreemptionExpectations: expectations, ResourceFormatter: formatter})
	must(err)
	adapters, err := jobframework.GetMultiKueueAdapters(frameworks)
	must(err)
	must(multikueue.SetupControllers(mgr, *cfg.Namespace,
		multikueue.WithGCInterval(cfg.MultiKueue.GCInterval.Duration),
		multikueue.WithOrigin(*cfg.MultiKueue.Origin),
		multikueue.WithWorkerLostTimeout(cfg.MultiKueue.WorkerLostTimeout.Duration),
		multikueue.WithAdapters(adapters),
		multikueue.WithDispatcherName(*cfg.MultiKueue.DispatcherName)))
	_, err = workloaddispatcher.SetupControllers(mgr, cfg, nil)
	must(err)
	selector, err := metav1.LabelSelectorAsSelector(cfg.ManagedJobsNamespaceSelector)
	must(err)
	must(jobframework.SetupControllers(ctx, mgr, ctrl.Log,
		jobframework.WithManageJobsWithoutQueueName(cfg.ManageJobsWithoutQueueName),
		jobframework.WithKubeServerVersion(version),
		jobframework.WithEnabledFrameworks(cfg.Integrations.Frameworks),
		jobframework.WithManagerName(constants.KueueName),
		jobframework.WithCache(cache),
		jobframework.WithQueues(queues),
		jobframework.WithManagedJobsNamespaceSelector(selector)))

	go queues.CleanUpOnContext(ctx)
	go cache.CleanUpOnContext(ctx)
	must(mgr.Add(scheduler.New(queues, cache, mgr.GetClient(), mgr.GetEventRecorder(constants.AdmissionName),
		scheduler.WithPreemptionExpectations(expectations), scheduler.WithResourceFormatter(formatter))))
}

// writeCertificate makes a certificate of 127.0.0.1 that signs itself.
func writeCertificate(folder string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(err)
	private, err := x509.MarshalECPrivateKey(key)
	must(err)
	write := func(name, kind string, bytes []byte) {
		text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
		must(os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	write("tls.key", "EC PRIVATE KEY", private)
	write("tls.crt", "CERTIFICATE", certificate)
}

func must(err error) {
	if err != nil {
		ctrl.Log.Error(err, "Kueue cannot start")
		os.Exit(1)
	}
}

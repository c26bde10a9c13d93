/**
 * Which folders of which module have the examples of a project. The version is that of the table of upstream releases, or the newest one
 * that the module proxy has.
 */
import { type Upstream } from '../../../src/facts/upstream';

export interface ExampleSource {
  readonly project: Upstream;
  readonly module: string;
  /**
   * The version of the module.
   * @default - that of the table of upstream releases
   */
  readonly version?: string;
  /** Folders with manifests that the project offers for use. */
  readonly folders: readonly string[];
  /** Files in them that are no examples of valid manifests, and why. */
  readonly except?: Readonly<Record<string, string>>;
}

export const EXAMPLE_SOURCES: readonly ExampleSource[] = [
  {
    project: 'volcano',
    module: 'volcano.sh/volcano',
    folders: ['benchmark', 'docs/user-guide', 'docs/getting-started', 'example', 'installer'],
    except: {
      'installer/helm': 'a chart: templates, and files that they include',
      'installer/dockerfile': 'no manifests',
    },
  },
  {
    project: 'kueue',
    module: 'sigs.k8s.io/kueue',
    folders: ['cmd/importer', 'cmd/kueueviz/examples', 'test/performance'],
  },
  { project: 'keda', module: 'github.com/kedacore/keda/v2', folders: ['config/samples'] },
  { project: 'jobset', module: 'sigs.k8s.io/jobset', folders: ['config/samples', 'examples', 'site'] },
  {
    project: 'training-operator-v1',
    module: 'github.com/kubeflow/training-operator',
    folders: ['examples', 'manifests'],
  },
  {
    project: 'kubeflow-trainer-v2',
    module: 'github.com/kubeflow/trainer/v2',
    folders: ['examples', 'hack', 'manifests/base/runtimes', 'manifests/base/rbac'],
  },
  { project: 'mpi-operator', module: 'github.com/kubeflow/mpi-operator', folders: ['deploy', 'examples', 'manifests'] },
  {
    project: 'k8s-device-plugin',
    module: 'github.com/NVIDIA/k8s-device-plugin',
    folders: ['demo', 'deployments/static', 'docs'],
  },
  {
    project: 'node-feature-discovery',
    module: 'sigs.k8s.io/node-feature-discovery',
    folders: ['deployment/base', 'deployment/nodefeaturerule', 'deployment/overlays', 'examples', 'test/e2e/data'],
    except: { 'deployment/base/worker-job': 'a template: its overlay says how many nodes there are' },
  },
  {
    project: 'sriov-network-operator',
    module: 'github.com/k8snetworkplumbingwg/sriov-network-operator',
    folders: ['doc', 'examples', 'deploy'],
    except: {
      'doc/design': 'proposals, whose fields are not those of the release',
      'deploy/namespace.yaml': 'a template for envsubst',
      'deploy/sriovoperatorconfig.yaml': 'a template for envsubst',
    },
  },
  {
    project: 'rdma-shared-device-plugin',
    module: 'github.com/Mellanox/k8s-rdma-shared-dev-plugin',
    folders: ['deployment', 'example', 'images'],
  },
  {
    project: 'multus',
    module: 'gopkg.in/k8snetworkplumbingwg/multus-cni.v4',
    folders: ['deployments', 'docs', 'e2e', 'examples'],
  },
  {
    project: 'prometheus-operator',
    module: 'github.com/prometheus-operator/prometheus-operator',
    folders: ['Documentation', 'example'],
    except: {
      'Documentation/developer': 'parts of manifests, with placeholders',
      'Documentation/proposals': 'proposals, whose fields are not those of the release',
      'example/alertmanager-crd-conversion': 'a patch',
      'example/prometheus-operator-crd': 'definitions, which are read as schemas',
      'example/prometheus-operator-crd-full': 'definitions, which are read as schemas',
      'example/user-guides/scrapeclass': 'parts of manifests',
    },
  },
  {
    project: 'knative-serving',
    module: 'knative.dev/serving',
    folders: [
      'config/core/configmaps',
      'config/core/deployments',
      'docs',
      'test/conformance',
      'test/performance',
      'test/test_images',
    ],
  },
  {
    project: 'intel-device-plugins-operator',
    module: 'github.com/intel/intel-device-plugins-for-kubernetes',
    folders: ['cmd', 'demo', 'deployments'],
    except: {
      'cmd/fpga_crihook/testdata': 'files of an OCI runtime',
      'deployments/operator/crd': 'definitions, and patches of them',
      'deployments/operator/manifests': 'the input of a generator',
    },
  },
  {
    project: 'scheduler-plugins',
    module: 'sigs.k8s.io/scheduler-plugins',
    folders: ['manifests', 'pkg/trimaran'],
    except: { 'manifests/crds': 'definitions, which are read as schemas' },
  },
  { project: 'karpenter', module: 'sigs.k8s.io/karpenter', folders: ['dra-kwok-driver', 'kwok/examples', 'test/pkg'] },
  {
    project: 'kuberay',
    module: 'github.com/ray-project/kuberay/ray-operator',
    version: 'v1.6.2',
    folders: ['config/samples'],
    except: { 'config/samples/vllm/ray-service.vllm-tpu-v6e-singlehost.yaml': 'a template for envsubst' },
  },
  {
    project: 'lws',
    module: 'sigs.k8s.io/lws',
    version: 'v0.7.0',
    folders: ['config/samples', 'docs/examples', 'site/content'],
  },
  {
    project: 'mig-parted',
    module: 'github.com/NVIDIA/mig-parted',
    version: 'v0.13.1',
    folders: ['deployments', 'examples'],
  },
  { project: 'nvidia-dra-driver-gpu', module: 'sigs.k8s.io/dra-driver-nvidia-gpu', folders: ['demo'] },
];

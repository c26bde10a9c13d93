/**
 * Rules over pod templates: each fires on its fault, and a pod that uses every field stays silent.
 */
import { podTemplateRules } from '../../../src/checks/server/pods/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { type Json, deployment, job, minimalPod, pytorchJob, richPod, yaml } from './valid';

type Change = (spec: Json, pod: Json) => void;

const main = (spec: Json): Json => (spec.containers as Json[])[0];
const volume = (spec: Json, name: string): Json =>
  (spec.volumes as Json[]).find((entry) => entry.name === name) as Json;
const added = (spec: Json, field: string, item: Json): void => {
  spec[field] = [...((spec[field] ?? []) as Json[]), item];
};

/** A fault for each rule, made in a pod that is otherwise valid. */
const FAULTS: readonly (readonly [string, string, Change])[] = [
  [
    'pod-has-container',
    'no containers',
    (spec) => {
      spec.containers = [];
    },
  ],
  [
    'container-name-required',
    'no name',
    (spec) => {
      delete main(spec).name;
    },
  ],
  [
    'container-name-valid',
    'an underscore',
    (spec) => {
      main(spec).name = 'my_app';
    },
  ],
  [
    'container-name-unique',
    'an init container of the same name',
    (spec) => {
      added(spec, 'initContainers', { name: 'main', image: 'a' });
    },
  ],
  [
    'container-image-required',
    'no image',
    (spec) => {
      delete main(spec).image;
    },
  ],
  [
    'container-image-required',
    'null as image',
    (spec) => {
      main(spec).image = null;
    },
  ],
  [
    'container-image-without-blanks',
    'a blank in front',
    (spec) => {
      main(spec).image = ' img';
    },
  ],
  [
    'container-port-valid',
    'port 70000',
    (spec) => {
      main(spec).ports = [{ containerPort: 70000 }];
    },
  ],
  [
    'container-port-valid',
    'no number',
    (spec) => {
      main(spec).ports = [{ name: 'http' }];
    },
  ],
  [
    'container-port-valid',
    'protocol HTTP',
    (spec) => {
      main(spec).ports = [{ containerPort: 1, protocol: 'HTTP' }];
    },
  ],
  [
    'container-port-name-valid',
    'a long name',
    (spec) => {
      main(spec).ports = [{ containerPort: 1, name: 'much-too-long-a-name' }];
    },
  ],
  [
    'host-port-unique',
    'one host port twice',
    (spec) => {
      main(spec).ports = [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ];
    },
  ],
  [
    'host-network-port-equals-container-port',
    'ports that differ',
    (spec) => {
      spec.hostNetwork = true;
      delete spec.hostnameOverride;
      main(spec).ports = [{ containerPort: 80, hostPort: 81 }];
    },
  ],
  [
    'image-pull-policy-valid',
    'a wrong word',
    (spec) => {
      main(spec).imagePullPolicy = 'Sometimes';
    },
  ],
  [
    'termination-message-policy-valid',
    'a wrong word',
    (spec) => {
      main(spec).terminationMessagePolicy = 'Log';
    },
  ],
  [
    'container-restart-policy-valid',
    'rules without a policy',
    (spec) => {
      main(spec).restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }];
    },
  ],
  [
    'container-restart-rules-valid',
    'no exit codes',
    (spec) => {
      main(spec).restartPolicy = 'Never';
      main(spec).restartPolicyRules = [{ action: 'Restart' }];
    },
  ],
  [
    'resize-policy-valid',
    'a device',
    (spec) => {
      main(spec).resizePolicy = [{ resourceName: 'nvidia.com/gpu', restartPolicy: 'NotRequired' }];
    },
  ],
  [
    'no-ephemeral-container-at-creation',
    'a debugger',
    (spec) => {
      spec.ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
    },
  ],
  [
    'init-container-without-probes',
    'a probe',
    (spec) => {
      added(spec, 'initContainers', { name: 'i', image: 'a', livenessProbe: { exec: { command: ['ls'] } } });
    },
  ],
  [
    'env-name-valid',
    'an equals sign',
    (spec) => {
      main(spec).env = [{ name: 'A=B' }];
    },
  ],
  [
    'env-value-from-exactly-one',
    'value and valueFrom',
    (spec) => {
      main(spec).env = [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
    },
  ],
  [
    'env-source-valid',
    'a field that is none',
    (spec) => {
      main(spec).env = [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }];
    },
  ],
  [
    'env-source-valid',
    'a divisor for cpu',
    (spec) => {
      main(spec).env = [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1Mi' } } }];
    },
  ],
  [
    'env-from-exactly-one',
    'no source',
    (spec) => {
      main(spec).envFrom = [{ prefix: 'A' }];
    },
  ],
  [
    'handler-exactly-one',
    'two handlers',
    (spec) => {
      main(spec).livenessProbe = { exec: { command: ['ls'] }, tcpSocket: { port: 1 } };
    },
  ],
  [
    'handler-exactly-one',
    'no handler',
    (spec) => {
      main(spec).lifecycle = { preStop: {} };
    },
  ],
  [
    'handler-valid',
    'no command',
    (spec) => {
      main(spec).livenessProbe = { exec: {} };
    },
  ],
  [
    'handler-valid',
    'port 0',
    (spec) => {
      main(spec).livenessProbe = { httpGet: { path: '/', port: 0 } };
    },
  ],
  [
    'sleep-within-grace-period',
    'a long sleep',
    (spec) => {
      main(spec).lifecycle = { preStop: { sleep: { seconds: 31 } } };
    },
  ],
  [
    'probe-numbers-valid',
    'two successes for liveness',
    (spec) => {
      main(spec).livenessProbe = { tcpSocket: { port: 1 }, successThreshold: 2 };
    },
  ],
  [
    'resource-name-valid',
    'a bare name',
    (spec) => {
      main(spec).resources = { limits: { gpu: 1 } };
    },
  ],
  [
    'resource-name-valid',
    'a quota name',
    (spec) => {
      main(spec).resources = { limits: { 'requests.nvidia.com/gpu': 1 } };
    },
  ],
  [
    'resource-amount-valid',
    'half a GPU',
    (spec) => {
      main(spec).resources = { limits: { 'nvidia.com/gpu': '500m' } };
    },
  ],
  [
    'resource-amount-valid',
    'a negative amount',
    (spec) => {
      main(spec).resources = { limits: { cpu: '-1' } };
    },
  ],
  [
    'extended-resource-request-equals-limit',
    'a request alone',
    (spec) => {
      main(spec).resources = { requests: { 'nvidia.com/gpu': 1 } };
    },
  ],
  [
    'extended-resource-request-equals-limit',
    'a request below the limit',
    (spec) => {
      main(spec).resources = { limits: { 'nvidia.com/gpu': 2 }, requests: { 'nvidia.com/gpu': 1 } };
    },
  ],
  [
    'resource-request-within-limit',
    'a request above the limit',
    (spec) => {
      main(spec).resources = { limits: { memory: '1Gi' }, requests: { memory: '2Gi' } };
    },
  ],
  [
    'huge-pages-need-cpu-or-memory',
    'huge pages alone',
    (spec) => {
      main(spec).resources = { limits: { 'hugepages-2Mi': '2Mi' } };
    },
  ],
  [
    'huge-pages-whole-pages',
    'one and a half pages',
    (spec) => {
      main(spec).resources = { limits: { 'hugepages-2Mi': '3Mi', cpu: 1 } };
    },
  ],
  [
    'resource-claim-of-pod',
    'a claim that the pod does not have',
    (spec) => {
      main(spec).resources = { claims: [{ name: 'other' }] };
    },
  ],
  [
    'resource-claim-of-pod',
    'a whole claim beside one of its requests',
    (spec) => {
      main(spec).resources = { claims: [{ name: 'gpus' }, { name: 'gpus', request: 'gpu' }] };
    },
  ],
  [
    'pod-resource-claim-valid',
    'neither claim nor template',
    (spec) => {
      spec.resourceClaims = [{ name: 'gpus' }, { name: 'net', resourceClaimName: 'a' }];
    },
  ],
  [
    'pod-overhead-valid',
    'a bare name',
    (spec) => {
      spec.overhead = { gpu: 1 };
    },
  ],
  [
    'pod-level-resources-valid',
    'less than the containers',
    (spec) => {
      spec.resources = { requests: { cpu: '100m' } };
    },
  ],
  [
    'volume-mount-has-volume',
    'no such volume',
    (spec) => {
      added(main(spec), 'volumeMounts', { name: 'nowhere', mountPath: '/n' });
    },
  ],
  [
    'volume-mount-path-valid',
    'one path twice',
    (spec) => {
      added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/data' });
    },
  ],
  [
    'volume-mount-sub-path-valid',
    'an absolute path',
    (spec) => {
      added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', subPath: '/abs' });
    },
  ],
  [
    'volume-mount-propagation-valid',
    'Bidirectional without privilege',
    (spec) => {
      added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', mountPropagation: 'Bidirectional' });
    },
  ],
  [
    'volume-mount-recursive-read-only-valid',
    'without readOnly',
    (spec) => {
      added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/n', recursiveReadOnly: 'Enabled' });
    },
  ],
  [
    'volume-device-valid',
    'a config map as device',
    (spec) => {
      added(main(spec), 'volumeDevices', { name: 'sec', devicePath: '/dev/x' });
    },
  ],
  [
    'volume-name-valid',
    'an upper-case name',
    (spec) => {
      added(spec, 'volumes', { name: 'Data' });
    },
  ],
  [
    'volume-exactly-one-source',
    'two sources',
    (spec) => {
      volume(spec, 'shm').hostPath = { path: '/x' };
    },
  ],
  [
    'volume-source-valid',
    'a claim without a name',
    (spec) => {
      volume(spec, 'data').persistentVolumeClaim = {};
    },
  ],
  [
    'volume-source-valid',
    'a host path of no type',
    (spec) => {
      volume(spec, 'host').hostPath = { path: '/x', type: 'Folder' };
    },
  ],
  [
    'volume-files-valid',
    'two files of one name',
    (spec) => {
      volume(spec, 'proj').projected = {
        sources: [
          { secret: { name: 's', items: [{ key: 'a', path: 'p' }] } },
          { configMap: { name: 'c', items: [{ key: 'a', path: 'p' }] } },
        ],
      };
    },
  ],
  [
    'volume-claim-not-ephemeral',
    'the claim of an ephemeral volume',
    (spec) => {
      volume(spec, 'data').persistentVolumeClaim = { claimName: 'rich-eph' };
    },
  ],
  [
    'security-context-ids-valid',
    'a negative user',
    (spec) => {
      spec.securityContext = { runAsUser: -1 };
    },
  ],
  [
    'security-context-consistent',
    'privileged without escalation',
    (spec) => {
      main(spec).securityContext = { privileged: true, allowPrivilegeEscalation: false };
    },
  ],
  [
    'seccomp-profile-valid',
    'Localhost without a file',
    (spec) => {
      spec.securityContext = { seccompProfile: { type: 'Localhost' } };
    },
  ],
  [
    'apparmor-profile-valid',
    'a name without Localhost',
    (spec) => {
      spec.securityContext = { appArmorProfile: { type: 'RuntimeDefault', localhostProfile: 'x' } };
    },
  ],
  [
    'sysctl-valid',
    'an upper-case name',
    (spec) => {
      spec.securityContext = { sysctls: [{ name: 'NET.core', value: '1' }] };
    },
  ],
  [
    'sysctl-valid',
    'a network sysctl of the host',
    (spec) => {
      spec.hostNetwork = true;
      main(spec).ports = [];
      spec.securityContext = { sysctls: [{ name: 'net/core/somaxconn', value: '1' }] };
    },
  ],
  [
    'pod-security-policies-valid',
    'a wrong word',
    (spec) => {
      spec.securityContext = { fsGroupChangePolicy: 'Sometimes' };
    },
  ],
  [
    'host-namespaces-consistent',
    'hostPID with a shared namespace',
    (spec) => {
      spec.hostPID = true;
      spec.shareProcessNamespace = true;
    },
  ],
  [
    'os-settings-consistent',
    'Windows options on Linux',
    (spec) => {
      spec.securityContext = { windowsOptions: {} };
    },
  ],
  [
    'windows-options-valid',
    'a user with a bracket',
    (spec) => {
      spec.securityContext = { windowsOptions: { runAsUserName: 'a[b' } };
    },
  ],
  [
    'windows-host-process-consistent',
    'no host network',
    (spec) => {
      delete spec.os;
      spec.securityContext = { windowsOptions: { hostProcess: true } };
    },
  ],
  [
    'pod-policy-valid',
    'a wrong restartPolicy',
    (spec) => {
      spec.restartPolicy = 'Sometimes';
    },
  ],
  [
    'pod-deadline-valid',
    'a deadline of 0',
    (spec) => {
      spec.activeDeadlineSeconds = 0;
    },
  ],
  [
    'pod-reference-name-valid',
    'an empty runtime class',
    (spec) => {
      spec.runtimeClassName = '';
    },
  ],
  [
    'pod-host-name-valid',
    'an upper-case host name',
    (spec) => {
      spec.hostname = 'Rank0';
    },
  ],
  [
    'host-alias-valid',
    'no address',
    (spec) => {
      spec.hostAliases = [{ ip: 'here' }];
    },
  ],
  [
    'dns-config-valid',
    'None without name servers',
    (spec) => {
      spec.dnsPolicy = 'None';
      delete spec.dnsConfig;
    },
  ],
  [
    'node-selector-labels-valid',
    'a blank in a value',
    (spec) => {
      spec.nodeSelector = { 'nvidia.com/gpu.memory': '80 GB' };
    },
  ],
  [
    'pod-gate-valid',
    'one gate twice',
    (spec) => {
      spec.schedulingGates = [{ name: 'a.b/c' }, { name: 'a.b/c' }];
    },
  ],
  [
    'scheduling-gate-without-node',
    'a node beside a gate',
    (spec) => {
      spec.nodeName = 'node-1';
    },
  ],
  [
    'mirror-pod-has-node',
    'no node',
    (_spec, pod) => {
      pod.metadata = { name: 'rich', annotations: { 'kubernetes.io/config.mirror': 'x' } };
    },
  ],
  [
    'pod-deletion-cost-valid',
    'a word',
    (_spec, pod) => {
      pod.metadata = { name: 'rich', annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'low' } };
    },
  ],
  [
    'node-affinity-valid',
    'In without values',
    (spec) => {
      spec.affinity = {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }],
          },
        },
      };
    },
  ],
  [
    'pod-affinity-valid',
    'no topology key',
    (spec) => {
      spec.affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: {} }] } };
    },
  ],
  [
    'pod-affinity-valid',
    'weight 0',
    (spec) => {
      spec.affinity = {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: 'zone' } }],
        },
      };
    },
  ],
  [
    'topology-spread-valid',
    'maxSkew 0',
    (spec) => {
      spec.topologySpreadConstraints = [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }];
    },
  ],
  [
    'toleration-valid',
    'a value with Exists',
    (spec) => {
      spec.tolerations = [{ key: 'a', operator: 'Exists', value: 'b' }];
    },
  ],
  [
    'toleration-valid',
    'Gt, which is gated',
    (spec) => {
      spec.tolerations = [{ key: 'a', operator: 'Gt', value: '1' }];
    },
  ],
  [
    'toleration-valid',
    'a key of nothing',
    (spec) => {
      spec.tolerations = [{ operator: 'Equal', value: 'b' }];
    },
  ],
];

describe('pod rules', () => {
  it('stay silent on a Pod that uses every field, on a minimal one and on templates of workloads', () => {
    const objects = [richPod(), minimalPod(), deployment(), job(), pytorchJob()].map(yaml).join('\n---\n');
    expect(findingsOf(objects, podTemplateRules, { kubernetes: '1.36' })).toEqual([]);
  });

  it.each(FAULTS)('core/%s fires on %s', (rule, _what, change) => {
    const pod = richPod();
    change(pod.spec as Json, pod);
    expect(rulesFiring(yaml(pod), podTemplateRules, { kubernetes: '1.36' })).toContain(`core/${rule}`);
  });

  it('have a fault in this table, each of them', () => {
    const covered = new Set(FAULTS.map(([rule]) => `core/${rule}`));
    const ofTemplates = [
      'core/template-labels-valid',
      'core/template-annotations-valid',
      'core/security-annotation-valid',
    ];
    expect(podTemplateRules.map(({ id }) => id).filter((id) => !covered.has(id) && !ofTemplates.includes(id))).toEqual(
      [],
    );
  });

  it('core/template-labels-valid and core/template-annotations-valid look at templates', () => {
    const workload = deployment();
    const template = (workload.spec as Json).template as Json;
    template.metadata = { labels: { app: 'has blank' }, annotations: { 'no/two/slashes': 'x' } };
    expect(rulesFiring(yaml(workload), podTemplateRules)).toEqual([
      'core/template-annotations-valid',
      'core/template-labels-valid',
    ]);
  });

  it('core/security-annotation-valid fires on a profile for a container that is not there', () => {
    const pod = minimalPod();
    (pod.metadata as Json).annotations = { 'container.apparmor.security.beta.kubernetes.io/other': 'runtime/default' };
    expect(rulesFiring(yaml(pod), podTemplateRules)).toEqual(['core/security-annotation-valid']);
  });
});

describe('a finding of a pod rule', () => {
  const withoutImage = (object: Json, template: (object: Json) => Json): Json => {
    delete main(template(object)).image;
    return object;
  };

  it("is the API server's in a Pod and in a built-in workload", () => {
    const pod = findingsOf(yaml(withoutImage(minimalPod(), (object) => object.spec as Json)), podTemplateRules);
    const templateOf = (object: Json): Json => ((object.spec as Json).template as Json).spec as Json;
    const workload = findingsOf(yaml(withoutImage(deployment(), templateOf)), podTemplateRules);
    expect(pod).toMatchObject([
      { rule: 'core/container-image-required', tier: 'server', path: '/spec/containers/0/image' },
    ]);
    expect(workload).toMatchObject([{ tier: 'server', path: '/spec/template/spec/containers/0/image' }]);
  });

  it('comes later in a custom resource, when its controller makes the pods', () => {
    const found = findingsOf(
      yaml(
        withoutImage(pytorchJob(), (object) => {
          const roles = (object.spec as Json).pytorchReplicaSpecs as Json;
          return ((roles.Worker as Json).template as Json).spec as Json;
        }),
      ),
      podTemplateRules,
    );
    expect(found).toMatchObject([
      { tier: 'webhook', path: '/spec/pytorchReplicaSpecs/Worker/template/spec/containers/0/image' },
    ]);
  });
});

describe('templates are judged more leniently than Pods', () => {
  it('takes an image with white space in a template', () => {
    const workload = deployment();
    main(((workload.spec as Json).template as Json).spec as Json).image = ' img ';
    expect(findingsOf(yaml(workload), podTemplateRules)).toEqual([]);
  });

  it('takes scheduling gates together with a node name in a template', () => {
    const workload = deployment();
    Object.assign(((workload.spec as Json).template as Json).spec as Json, {
      nodeName: 'node-1',
      schedulingGates: [{ name: 'a.b/c' }],
    });
    expect(findingsOf(yaml(workload), podTemplateRules)).toEqual([]);
  });
});

describe('what the server was seen to take', () => {
  const TAKEN: readonly (readonly [string, Change])[] = [
    [
      'empty strings for policies',
      (spec) => {
        Object.assign(spec, { restartPolicy: '', dnsPolicy: '' });
      },
    ],
    [
      'emptyDir.medium RAM',
      (spec) => {
        volume(spec, 'shm').emptyDir = { medium: 'RAM' };
      },
    ],
    [
      'a variable name with a blank',
      (spec) => {
        main(spec).env = [{ name: 'MY VAR', value: 'x' }];
      },
    ],
    [
      'a colon in mountPath',
      (spec) => {
        added(main(spec), 'volumeMounts', { name: 'cm', mountPath: '/a:b' });
      },
    ],
    [
      'affinity Gt with a word',
      (spec) => {
        spec.affinity = {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Gt', values: ['big'] }] }],
            },
          },
        };
      },
    ],
    [
      'a quantity that is only a suffix',
      (spec) => {
        main(spec).resources = { limits: { memory: 'Gi' } };
      },
    ],
    [
      'a volume without any source',
      (spec) => {
        added(spec, 'volumes', { name: 'plain' });
      },
    ],
  ];

  it.each(TAKEN)('%s', (_what, change) => {
    const pod = richPod();
    change(pod.spec as Json, pod);
    expect(findingsOf(yaml(pod), podTemplateRules, { kubernetes: '1.36' })).toEqual([]);
  });
});

describe('what a controller adds to a template', () => {
  it('is not missed: the port of a Knative probe, the name of its container', () => {
    const service: Json = {
      apiVersion: 'serving.knative.dev/v1',
      kind: 'Service',
      metadata: { name: 'llm' },
      spec: {
        template: {
          spec: {
            containers: [{ image: 'img', readinessProbe: {}, livenessProbe: { httpGet: { path: '/live', port: 0 } } }],
          },
        },
      },
    };
    expect(rulesFiring(yaml(service), podTemplateRules)).toEqual([]);
  });

  it('is not missed: the limits of pods that a Kueue Workload describes', () => {
    const containers = [{ name: 'main', image: 'img', resources: { requests: { 'nvidia.com/gpu': 1 } } }];
    const workload: Json = {
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'Workload',
      metadata: { name: 'w' },
      spec: { podSets: [{ name: 'main', count: 1, template: { spec: { containers } } }] },
    };
    expect(rulesFiring(yaml(workload), podTemplateRules)).toEqual([]);
  });
});

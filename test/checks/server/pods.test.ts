/**
 * Rules over pod templates: each fires on its fault, and a pod that uses every field stays silent.
 */
import { podTemplateRules } from '../../../src/checks/server/pods/rules';
import { findingsOf, rulesFiring } from '../../support/findings';
import { POD_FAULTS } from './faults';
import { added, changedPod, main, type PodFault, volume } from './faults/pod-fault';
import { type Json, deployment, job, minimalPod, pytorchJob, richPod, yaml } from './valid';

describe('pod rules', () => {
  it('stay silent on a Pod that uses every field, on a minimal one and on templates of workloads', () => {
    const objects = [richPod(), minimalPod(), deployment(), job(), pytorchJob()].map(yaml).join('\n---\n');
    expect(findingsOf(objects, podTemplateRules, { kubernetes: '1.36' })).toEqual([]);
  });

  it.each(POD_FAULTS)('core/%s fires on %s', (rule, _what, change) => {
    expect(rulesFiring(yaml(changedPod(change)), podTemplateRules, { kubernetes: '1.36' })).toContain(`core/${rule}`);
  });

  it('have a fault in this table, each of them', () => {
    const covered = new Set(POD_FAULTS.map(([rule]) => `core/${rule}`));
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
  const TAKEN: readonly (readonly [string, PodFault[2]])[] = [
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
    expect(findingsOf(yaml(changedPod(change)), podTemplateRules, { kubernetes: '1.36' })).toEqual([]);
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

import { allKinds, findKind } from '../../../src/facts/api/kinds';
import { type KubernetesMinor, type Schema } from '../../../src/facts/api/schema';
import { loadSchema } from '../../../src/facts/api/schemas';
import { specialDefinition } from '../../../src/checks/cluster/definition-facts';

function schemaOf(apiVersion: string, kind: string, minor: KubernetesMinor = '1.35'): Schema {
  return loadSchema(findKind(apiVersion, kind)!, minor);
}

/** `spec.tasks[].template` */
function at(schema: Schema, path: string): Schema {
  return path.split('.').reduce((node, step) => {
    const [, name, inside] = /^([^[{]*)((?:\[\]|\{\})*)$/.exec(step)!;
    let found = node.properties![name];
    for (const bracket of inside.match(/\[\]|\{\}/g) ?? []) {
      found = bracket === '[]' ? found.items! : (found.additionalProperties as Schema);
    }
    return found;
  }, schema);
}

function children(schema: Schema): readonly Schema[] {
  const map = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  return [
    ...Object.values(schema.properties ?? {}),
    ...map,
    ...(schema.items ? [schema.items] : []),
    ...(schema.not ? [schema.not] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
}

/** CEL rules at every place of a schema: shared nodes count once per place. */
function celRules(schema: Schema): number {
  return (
    (schema['x-kubernetes-validations']?.length ?? 0) +
    children(schema).reduce((sum, child) => sum + celRules(child), 0)
  );
}

describe('loadSchema', () => {
  test.each([
    ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'v1', 'ResourceQuota', 'spec.hard{}'],
    ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'v1', 'Service', 'spec.ports[].targetPort'],
    ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 'v1', 'Pod', 'metadata.creationTimestamp'],
    ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'coordination.k8s.io/v1', 'Lease', 'spec.renewTime'],
    ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', 'v1', 'Pod', 'metadata.managedFields[].fieldsV1'],
    ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'apps/v1', 'ControllerRevision', 'data'],
  ])('gives %s of a live server and of the generated schemas one schema', (name, apiVersion, kind, path) => {
    expect(specialDefinition(name)).toBeDefined();
    for (const minor of ['1.30', '1.33', '1.36'] as const) {
      expect(at(schemaOf(apiVersion, kind, minor), path)).toEqual(specialDefinition(name));
    }
  });

  test('keeps enums and defaults: the Volcano queue dequeues by traversal unless it is set', () => {
    expect(at(schemaOf('scheduling.volcano.sh/v1beta1', 'Queue'), 'spec.dequeueStrategy')).toEqual({
      type: 'string',
      enum: ['fifo', 'traverse'],
      default: 'traverse',
    });
  });

  test('keeps what is required: a ClusterPolicy needs its nine operands', () => {
    expect(at(schemaOf('nvidia.com/v1', 'ClusterPolicy'), 'spec').required).toEqual([
      'daemonsets',
      'dcgm',
      'dcgmExporter',
      'devicePlugin',
      'driver',
      'gfd',
      'nodeStatusExporter',
      'operator',
      'toolkit',
    ]);
  });

  test.each([
    ['nvidia-gpu-operator', 4],
    ['nvidia-dra-driver-gpu', 1],
    ['network-operator', 2],
    ['volcano', 2],
    ['training-operator-v1', 6],
    ['kubeflow-trainer-v2', 41],
    ['keda', 1],
    ['kueue', 79],
    ['jobset', 8],
    ['lws', 1],
    ['kuberay', 26],
    ['kai-scheduler', 3],
    ['karpenter', 36],
    ['karpenter-provider-aws', 44],
    ['mpi-operator', 0],
    ['knative-serving', 0],
    ['node-feature-discovery', 0],
    ['argo-cd', 0],
    ['flux-helm-controller', 5],
    ['flux-kustomize-controller', 2],
    ['flux-source-controller', 9],
    ['node-readiness-controller', 0],
  ])('keeps every CEL rule of %s: %d', (project, count) => {
    const kinds = allKinds().filter((info) => info.source.startsWith(`${project} `));
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds.reduce((sum, info) => sum + celRules(loadSchema(info, '1.35')), 0)).toBe(count);
  });

  test('keeps no message of a CEL rule, for it is prose', () => {
    const rules = at(schemaOf('kueue.x-k8s.io/v1beta2', 'ClusterQueue'), 'spec')['x-kubernetes-validations']!;
    expect(rules.length).toBeGreaterThan(0);
    for (const rule of rules) {
      expect(Object.keys(rule)).not.toContain('message');
    }
  });

  test('makes the special strings of built-in kinds recognizable', () => {
    const container = at(schemaOf('v1', 'Pod'), 'spec.containers[]');
    expect(at(container, 'resources.limits{}')).toEqual({ type: 'string', format: 'quantity' });
    expect(at(container, 'livenessProbe.httpGet.port')).toEqual({ 'x-kubernetes-int-or-string': true });
    expect(at(schemaOf('v1', 'Pod'), 'metadata.creationTimestamp')).toEqual({ type: 'string', format: 'date-time' });
  });

  test('knows the keys of list maps and the defaults that they need', () => {
    const ports = at(schemaOf('v1', 'Pod'), 'spec.containers[].ports');
    expect(ports).toMatchObject({
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    });
    expect(ports.items!.properties!.protocol).toEqual({ type: 'string', default: 'TCP' });
  });

  test('does not take the zero values of Go for defaults: a container still needs its name', () => {
    const container = at(schemaOf('v1', 'Pod'), 'spec.containers[]');
    expect(container.required).toEqual(['name']);
    expect(container.properties!.name).toEqual({ type: 'string' });
  });

  test('gives each minor its own schema', () => {
    const podSpec = (minor: KubernetesMinor): readonly string[] =>
      Object.keys(at(schemaOf('v1', 'Pod', minor), 'spec').properties!);
    expect(podSpec('1.30')).not.toContain('resources');
    expect(podSpec('1.34')).toContain('resources');
    expect(podSpec('1.35')).not.toContain('schedulingGroup');
    expect(podSpec('1.36')).toContain('schedulingGroup');
  });

  test('refuses a minor that does not serve the version', () => {
    expect(() => schemaOf('resource.k8s.io/v1', 'DeviceClass', '1.33')).toThrow(
      'resource.k8s.io/v1 DeviceClass is not served by Kubernetes 1.33',
    );
  });

  test('shares equal nodes: the pod template of a custom resource is the same object in all its kinds', () => {
    const template = 'spec.pytorchReplicaSpecs{}.template';
    const pytorch = at(schemaOf('kubeflow.org/v1', 'PyTorchJob'), template);
    expect(at(schemaOf('kubeflow.org/v1', 'TFJob'), 'spec.tfReplicaSpecs{}.template')).toBe(pytorch);
    expect(schemaOf('v1', 'Pod', '1.34').properties!.metadata).toBe(
      schemaOf('v1', 'Service', '1.35').properties!.metadata,
    );
  });

  test("closes circles: a CRD's schema may hold schemas", () => {
    const props = at(
      schemaOf('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      'spec.versions[].schema.openAPIV3Schema',
    );
    expect(at(props, 'not')).toBe(props);
    expect(at(props, 'properties{}')).toBe(props);
  });

  test('loads every kind in every minor that serves it', () => {
    for (const info of allKinds()) {
      for (const minor of info.minors ?? (['1.35'] as const)) {
        expect(loadSchema(info, minor)).toBeInstanceOf(Object);
      }
    }
  });
});

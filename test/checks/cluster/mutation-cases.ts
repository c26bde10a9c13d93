/**
 * Mutations of MutatingAdmissionPolicies, and what they make of a Job. The unit test evaluates them, and an end-to-end test applies them on a
 * live server.
 */
import { type JsonObject } from '../../../src/facts/api/schema';

export const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
export const patch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

export const MUTATED_JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'train', namespace: 'default', labels: { team: 'a' } },
  spec: {
    parallelism: 2,
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: 'example.com/train:1', args: ['a', 'b'], env: [{ name: 'A', value: '1' }] },
          { name: 'side', image: 'example.com/side:1' },
        ],
      },
    },
  },
};

export interface MutationCase {
  readonly name: string;
  readonly mutation: JsonObject;
  /** An expression on the mutated object. Absent where the mutation fails. */
  readonly holds?: string;
  /** Why it fails. */
  readonly fails?: string;
}

const POD_SPEC = 'Object.spec.template.spec';
const podSpec = (fields: string): string =>
  `Object{spec: Object.spec{template: Object.spec.template{spec: ${POD_SPEC}{${fields}}}}}`;

const changes = (name: string, mutation: JsonObject, holds: string): MutationCase => ({ name, mutation, holds });
const failing = (name: string, mutation: JsonObject, fails: string): MutationCase => ({ name, mutation, fails });

export const MUTATIONS: readonly MutationCase[] = [
  changes(
    'of a field',
    apply('Object{spec: Object.spec{suspend: true}}'),
    'object.spec.suspend && object.spec.parallelism == 2',
  ),
  changes(
    'of items of keyed lists',
    apply(
      podSpec(
        `containers: object.spec.template.spec.containers.map(c, ${POD_SPEC}.containers{name: c.name, env: [${POD_SPEC}.containers.env{name: "B", value: "2"}]})`,
      ),
    ),
    `object.spec.template.spec.containers.map(c, c.image) == ["example.com/train:1", "example.com/side:1"]
      && object.spec.template.spec.containers[0].env.map(e, e.name) == ["A", "B"]
      && object.spec.template.spec.containers[0].args == ["a", "b"]`,
  ),
  changes(
    'with optional fields',
    apply('Object{spec: Object.spec{?suspend: optional.none(), ?parallelism: optional.of(3)}}'),
    '!has(object.spec.suspend) && object.spec.parallelism == 3',
  ),
  failing(
    'of an atomic list',
    apply(podSpec(`containers: [${POD_SPEC}.containers{name: "main", args: ["c"]}]`)),
    'its apply configuration sets spec.template.spec.containers[main].args, which is atomic; set it with a JSONPatch',
  ),
  changes(
    'that adds a field',
    patch('[JSONPatch{op: "add", path: "/spec/suspend", value: true}]'),
    'object.spec.suspend',
  ),
  changes(
    'that replaces a field',
    patch('[JSONPatch{op: "replace", path: "/spec/parallelism", value: 5}]'),
    'object.spec.parallelism == 5',
  ),
  changes(
    'that removes a field',
    patch('[JSONPatch{op: "remove", path: "/metadata/labels/team"}]'),
    '!has(object.metadata.labels.team)',
  ),
  changes(
    'that adds items',
    patch(
      '[JSONPatch{op: "add", path: "/spec/template/spec/containers/0/args/-", value: "c"}, JSONPatch{op: "add", path: "/spec/template/spec/containers/0/args/0", value: "z"}]',
    ),
    'object.spec.template.spec.containers[0].args == ["z", "a", "b", "c"]',
  ),
  changes(
    'that removes and replaces items',
    patch(
      '[JSONPatch{op: "remove", path: "/spec/template/spec/containers/0/args/0"}, JSONPatch{op: "replace", path: "/spec/template/spec/containers/0/args/0", value: "c"}]',
    ),
    'object.spec.template.spec.containers[0].args == ["c"]',
  ),
  changes(
    'with an escaped key',
    patch('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("example.com/a"), value: "d"}]'),
    'object.metadata.labels["example.com/a"] == "d"',
  ),
  changes(
    'that copies',
    patch('[JSONPatch{op: "copy", from: "/metadata/labels/team", path: "/metadata/labels/copy"}]'),
    'object.metadata.labels.copy == "a" && object.metadata.labels.team == "a"',
  ),
  changes(
    'that moves',
    patch('[JSONPatch{op: "move", from: "/metadata/labels/team", path: "/metadata/labels/moved"}]'),
    'object.metadata.labels.moved == "a" && !has(object.metadata.labels.team)',
  ),
  changes(
    'that tests first',
    patch(
      '[JSONPatch{op: "test", path: "/spec/parallelism", value: 2}, JSONPatch{op: "replace", path: "/spec/parallelism", value: 4}]',
    ),
    'object.spec.parallelism == 4',
  ),
  changes(
    'that replaces what is not set',
    patch('[JSONPatch{op: "replace", path: "/metadata/labels/missing", value: "b"}]'),
    'object.metadata.labels.missing == "b"',
  ),
  failing(
    'without a parent',
    patch('[JSONPatch{op: "add", path: "/metadata/annotations/a", value: "b"}]'),
    'its JSONPatch cannot add /metadata/annotations/a: "annotations" is not set',
  ),
  failing(
    'that removes no member',
    patch('[JSONPatch{op: "remove", path: "/metadata/labels/missing"}]'),
    'its JSONPatch cannot remove /metadata/labels/missing: "missing" is not set',
  ),
  failing(
    'that removes no item',
    patch('[JSONPatch{op: "remove", path: "/spec/template/spec/containers/2"}]'),
    'its JSONPatch cannot remove /spec/template/spec/containers/2: "2" is not set',
  ),
  failing(
    'behind the end of a list',
    patch('[JSONPatch{op: "add", path: "/spec/template/spec/containers/3", value: {}}]'),
    'its JSONPatch cannot add /spec/template/spec/containers/3: "3" is not set',
  ),
  changes(
    'whose test fails, so that it changes nothing',
    patch(
      '[JSONPatch{op: "replace", path: "/spec/parallelism", value: 4}, JSONPatch{op: "test", path: "/spec/parallelism", value: 3}]',
    ),
    'object.spec.parallelism == 2',
  ),
  failing(
    'that copies what is not set',
    patch('[JSONPatch{op: "copy", from: "/spec/a", path: "/spec/b"}]'),
    'its JSONPatch reads /spec/a, which is not set',
  ),
  failing(
    'with an unknown operation',
    patch('[JSONPatch{op: "toString", path: "/spec/b"}]'),
    'its JSONPatch has the unknown operation "toString"',
  ),
  failing(
    'of the whole object',
    patch('[JSONPatch{op: "replace", path: "", value: 1}]'),
    'its JSONPatch replaces the object by a value that is not an object',
  ),
];

/**
 * Hand-over: one write sets the pod's node and removes its gate; the cluster's own scheduler verifies and binds.
 *
 * The node goes into the required node affinity as a field of every term, which is the narrowing that the API server allows while a pod
 * is gated, and the one for which kube-scheduler looks at this node only. What the pod asked for stays.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { GANTRY_DEVICES, GANTRY_NODE, GANTRY_PLACEMENT_GATE } from '../../../facts/catalog/gantry-names';
import { asArray, asObject, asString } from '../../../manifests/read';
import { attempt, type AttemptOptions, placeOf } from './attempts';
import { type PlacedPod, type PlacingOutcome, podPath } from './pod-ref';

/** @param known the pod as it was when its place was decided */
export function handOver(pod: PlacedPod, known: JsonObject, options: AttemptOptions): Promise<PlacingOutcome> {
  return attempt(pod, known, options, {
    send: async (latest) => {
      await options.client.request('PATCH', podPath(pod), {
        body: handOverPatch(pod, latest),
        contentType: 'application/json-patch+json',
        timeout: options.requestTimeout,
        permit: options.leads,
      });
    },
    look: (now) => handedOver(now, pod.node),
  });
}

/** Whether the pod was handed over for this node; `undefined`: it still has its gate. */
export function handedOver(pod: JsonObject, node: string): PlacingOutcome | undefined {
  return placeOf(pod, node) ?? (isGated(pod) ? undefined : handedTo(pod, node));
}

function handedTo(pod: JsonObject, wanted: string): PlacingOutcome {
  const node = annotatedNode(pod);
  return node === wanted ? { kind: 'done' } : { kind: 'elsewhere', node: node ?? '' };
}

/**
 * A JSON patch that only applies to the very pod, as it was read.
 */
export function handOverPatch({ uid, node, devices }: PlacedPod, known: JsonObject): JsonValue {
  const spec = asObject(known.spec);
  const gates = [...asArray(spec.schedulingGates)];
  const { annotations, resourceVersion } = asObject(known.metadata);
  const added: Readonly<Record<string, string>> = {
    [GANTRY_NODE]: node,
    ...(devices.length === 0 ? {} : { [GANTRY_DEVICES]: devices.join(',') }),
  };
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    // A precondition of the write, which fails as a conflict: a patch that the network held back does nothing to a pod that has changed.
    ...(resourceVersion === undefined
      ? []
      : [{ op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }]),
    { op: 'test', path: '/spec/schedulingGates', value: gates },
    ...(spec.affinity === undefined ? [] : [{ op: 'test', path: '/spec/affinity', value: spec.affinity }]),
    { op: 'add', path: '/spec/affinity', value: withNode(asObject(spec.affinity), node) },
    {
      op: 'replace',
      path: '/spec/schedulingGates',
      value: gates.filter((gate) => asObject(gate).name !== GANTRY_PLACEMENT_GATE),
    },
    ...(annotations === undefined
      ? [{ op: 'add', path: '/metadata/annotations', value: added }]
      : Object.entries(added).map(([key, value]) => ({
          op: 'add',
          path: `/metadata/annotations/${key.replaceAll('/', '~1')}`,
          value,
        }))),
  ];
}

/** The affinity with the node in every required term. */
function withNode(affinity: JsonObject, node: string): JsonObject {
  const nodeAffinity = asObject(affinity.nodeAffinity);
  const required = asObject(nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution);
  const here = { key: 'metadata.name', operator: 'In', values: [node] };
  const terms = asArray(required.nodeSelectorTerms).map(asObject);
  const narrowed: JsonObject[] =
    terms.length === 0
      ? [{ matchFields: [here] }]
      : terms.map((term) => ({ ...term, matchFields: [...asArray(term.matchFields), here] }));
  return {
    ...affinity,
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { ...required, nodeSelectorTerms: narrowed },
    },
  };
}

/** Whether every term of the pod's required node affinity names this node, as a hand-over leaves them. */
export function isPinnedTo(pod: JsonObject, node: string): boolean {
  const { nodeAffinity } = asObject(asObject(pod.spec).affinity);
  const required = asObject(asObject(nodeAffinity).requiredDuringSchedulingIgnoredDuringExecution);
  const terms = asArray(required.nodeSelectorTerms).map(asObject);
  return (
    terms.length > 0 &&
    terms.every((term) =>
      asArray(term.matchFields)
        .map(asObject)
        .some(({ key, operator, values }) => {
          const [name, ...others] = asArray(values);
          return key === 'metadata.name' && operator === 'In' && name === node && others.length === 0;
        }),
    )
  );
}

export function isGated(pod: JsonObject): boolean {
  return asArray(asObject(pod.spec).schedulingGates).some((gate) => asObject(gate).name === GANTRY_PLACEMENT_GATE);
}

/** The node that a pod was handed over for. */
export function annotatedNode(pod: JsonObject): string | undefined {
  return asString(asObject(asObject(pod.metadata).annotations)[GANTRY_NODE]);
}

/**
 * Hand-over: the pod is told its node and loses its gate in one write, and the cluster's own scheduler verifies and binds.
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
  const body = handOverPatch(pod, known);
  const send = async (): Promise<void> => {
    await options.client.request('PATCH', podPath(pod), {
      body,
      contentType: 'application/json-patch+json',
      timeout: options.requestTimeout,
    });
  };
  return attempt(
    pod,
    options,
    send,
    (now) => placeOf(now, pod.node) ?? (isGated(now) ? undefined : handedTo(now, pod.node)),
  );
}

function handedTo(pod: JsonObject, wanted: string): PlacingOutcome {
  const node = annotatedNode(pod);
  return node === wanted ? { kind: 'done' } : { kind: 'elsewhere', node: node ?? '' };
}

/**
 * A JSON patch that only applies to the very pod, still gated and with the affinity that was read: what else has changed since does not
 * matter.
 */
export function handOverPatch({ uid, node, devices }: PlacedPod, known: JsonObject): JsonValue {
  const spec = asObject(known.spec);
  const gates = [...asArray(spec.schedulingGates)];
  const { annotations } = asObject(known.metadata);
  const added: Readonly<Record<string, string>> = {
    [GANTRY_NODE]: node,
    ...(devices.length === 0 ? {} : { [GANTRY_DEVICES]: devices.join(',') }),
  };
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
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

export function isGated(pod: JsonObject): boolean {
  return asArray(asObject(pod.spec).schedulingGates).some((gate) => asObject(gate).name === GANTRY_PLACEMENT_GATE);
}

/** The node that a pod was handed over for. */
export function annotatedNode(pod: JsonObject): string | undefined {
  return asString(asObject(asObject(pod.metadata).annotations)[GANTRY_NODE]);
}

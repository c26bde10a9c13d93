/**
 * Objects of the cluster as the planner of remediation sees them. What an object says is read once: objects are kept as they are until they
 * change.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { GANTRY_ACCELERATOR_CAPACITY, GANTRY_REMEDIATION } from '../../facts/catalog/gantry-names';
import { asArray, asObject, asString } from '../../manifests/read';
import { type CapacityReport, parseCapacityReport, reportAsOf } from '../../placement/nodes/capacity-report';
import { type GangIdentity, gangIdentityOf } from '../../planning/cluster/objects';
import {
  readRecord,
  type RemediationGang,
  type RemediationNode,
  type RemediationPod,
  type RemediationSettings,
} from '../../planning/remediation';

/** Seconds for which a capacity report counts; the agent renews it every 4 minutes. */
const REPORT_SECONDS = 300;

interface KnownNode {
  readonly node: Omit<RemediationNode, 'held' | 'report'>;
  readonly report?: CapacityReport;
  /** By type: when the condition got its status, milliseconds since the epoch. */
  readonly changed: readonly (readonly [type: string, at: number])[];
}

const nodes = new WeakMap<JsonObject, KnownNode>();

/** @param now the API server's time */
export function remediationNode(object: JsonObject, now: number): RemediationNode {
  let known = nodes.get(object);
  if (known === undefined) {
    known = readNode(object);
    nodes.set(object, known);
  }
  const { node, report, changed } = known;
  return {
    ...node,
    held: Object.fromEntries(changed.map(([type, at]) => [type, now - at])),
    ...(report === undefined ? {} : reportOf(report, now)),
  };
}

function readNode(object: JsonObject): KnownNode {
  const { name, labels, annotations } = asObject(object.metadata);
  const { unschedulable, taints } = asObject(object.spec);
  const conditions = asArray(asObject(object.status).conditions).map(asObject);
  const isTrue = conditions.filter(({ status }) => status === 'True').map(({ type }) => asString(type) ?? '');
  const texts = textsOf(annotations);
  const own = (key: string): string | undefined => (Object.hasOwn(texts, key) ? texts[key] : undefined);
  const report = own(GANTRY_ACCELERATOR_CAPACITY);
  return {
    node: {
      name: asString(name) ?? '',
      labels: textsOf(labels),
      annotations: texts,
      isReady: isTrue.includes('Ready'),
      isCordoned: unschedulable === true,
      taints: asArray(taints).map((taint) => asString(asObject(taint).key) ?? ''),
      problems: isTrue.filter((type) => type !== 'Ready'),
      record: readRecord(own(GANTRY_REMEDIATION)),
    },
    ...(report === undefined ? {} : { report: parseCapacityReport(report) }),
    changed: conditions.flatMap(({ type, lastTransitionTime }) => {
      const at = Date.parse(asString(lastTransitionTime) ?? '');
      return Number.isNaN(at) ? [] : [[asString(type) ?? '', at] as const];
    }),
  };
}

function reportOf(report: CapacityReport, now: number): Pick<RemediationNode, 'report'> {
  const read = reportAsOf(report, now, REPORT_SECONDS);
  if (read.state !== 'fresh') {
    return {};
  }
  const free = [...read.report.devices.values()].flatMap(({ freeMemoryMiB }) => freeMemoryMiB ?? []);
  return {
    report: {
      devices: read.report.devices.size,
      ...(free.length === 0 ? {} : { freeMemoryMiB: free.reduce((least, one) => Math.min(least, one)) }),
    },
  };
}

/** A pod with a node. */
interface KnownPod {
  readonly pod: RemediationPod;
  /** Key of its gang; of a pod that is of use by itself, its own. Absent: the pod belongs to its node. */
  readonly gang?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly usesDevices: boolean;
  /** It has not ended and is not about to. */
  readonly isActive: boolean;
}

const pods = new WeakMap<JsonObject, KnownPod | 'unplaced'>();

function knownPod(object: JsonObject): KnownPod | 'unplaced' {
  let known = pods.get(object);
  if (known === undefined) {
    known = readPod(object);
    pods.set(object, known);
  }
  return known;
}

function readPod(object: JsonObject): KnownPod | 'unplaced' {
  const metadata = asObject(object.metadata);
  const node = asString(asObject(object.spec).nodeName);
  if (node === undefined || node === '') {
    return 'unplaced';
  }
  const { phase } = asObject(object.status);
  const createdAt = Date.parse(asString(metadata.creationTimestamp) ?? '');
  const pod = {
    namespace: asString(metadata.namespace) ?? 'default',
    name: asString(metadata.name) ?? '',
    uid: asString(metadata.uid) ?? '',
    node,
    createdAt: Number.isNaN(createdAt) ? 0 : createdAt,
  };
  return {
    pod,
    ...gangOf(gangIdentityOf(object), pod),
    labels: textsOf(metadata.labels),
    usesDevices: usesDevices(object),
    isActive: phase !== 'Succeeded' && phase !== 'Failed' && metadata.deletionTimestamp === undefined,
  };
}

/** The pods of a Deployment are of use one by one, and those on other nodes stay. */
function gangOf(
  { key, group, together, ofNode }: GangIdentity,
  { namespace, name }: RemediationPod,
): Pick<KnownPod, 'gang'> {
  return ofNode ? {} : { gang: together ? `${key} ${group}`.trim() : `${namespace}/pod/${name}` };
}

/** Gangs with devices. Pods of DaemonSets belong to their node and are in no gang. */
export function remediationGangs(objects: Iterable<JsonObject>): readonly RemediationGang[] {
  const gangs = new Map<string, { readonly pods: RemediationPod[]; readonly nodes: Set<string>; uses: boolean }>();
  for (const object of objects) {
    const known = knownPod(object);
    if (known === 'unplaced' || known.gang === undefined) {
      continue;
    }
    const gang = gangs.get(known.gang) ?? { pods: [], nodes: new Set<string>(), uses: false };
    gang.nodes.add(known.pod.node);
    gang.uses ||= known.usesDevices;
    if (known.isActive) {
      gang.pods.push(known.pod);
    }
    gangs.set(known.gang, gang);
  }
  return [...gangs].flatMap(([key, { pods: own, nodes: on, uses }]) => (uses ? [{ key, pods: own, nodes: on }] : []));
}

/** Pods of the device plugin. */
export function devicePlugins(
  objects: Iterable<JsonObject>,
  { devicePluginNamespace, devicePluginLabels }: RemediationSettings,
): readonly RemediationPod[] {
  const wanted = Object.entries(devicePluginLabels);
  return [...objects].flatMap((object) => {
    const known = knownPod(object);
    return known !== 'unplaced' &&
      known.isActive &&
      known.pod.namespace === devicePluginNamespace &&
      wanted.every(([key, value]) => Object.hasOwn(known.labels, key) && known.labels[key] === value)
      ? [known.pod]
      : [];
  });
}

/** Extended resources have a domain; hugepages do not. Devices are claimed, too. */
function usesDevices({ spec }: JsonObject): boolean {
  const { containers, resourceClaims } = asObject(spec);
  return (
    asArray(resourceClaims).length > 0 ||
    asArray(containers).some((container) => {
      const { limits, requests } = asObject(asObject(container).resources);
      return [...Object.keys(asObject(limits)), ...Object.keys(asObject(requests))].some((name) => name.includes('/'));
    })
  );
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/**
 * Objects of the cluster as the planner of remediation sees them.
 */
import { GANTRY_REMEDIATION, GANTRY_ACCELERATOR_CAPACITY } from '../../facts/catalog/gantry-names';
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asArray, asObject, asString } from '../../manifests/read';
import { parseCapacityReport, reportAsOf } from '../../placement/nodes/capacity-report';
import { gangIdentityOf } from '../../planning/cluster/objects';
import {
  readRecord,
  type RemediationGang,
  type RemediationNode,
  type RemediationPod,
  type RemediationSettings,
} from '../../planning/remediation';

/** Seconds for which a capacity report counts; the agent renews it every 4 minutes. */
const REPORT_SECONDS = 300;

/** @param now the API server's time */
export function remediationNode(object: JsonObject, now: number): RemediationNode {
  const { name, labels, annotations } = asObject(object.metadata);
  const { unschedulable, taints } = asObject(object.spec);
  const conditions = asArray(asObject(object.status).conditions).map(asObject);
  const isTrue = conditions.filter(({ status }) => status === 'True').map(({ type }) => asString(type) ?? '');
  const texts = textsOf(annotations);
  const record = Object.hasOwn(texts, GANTRY_REMEDIATION) ? texts[GANTRY_REMEDIATION] : undefined;
  return {
    name: asString(name) ?? '',
    labels: textsOf(labels),
    annotations: texts,
    isReady: isTrue.includes('Ready'),
    isCordoned: unschedulable === true,
    taints: asArray(taints).map((taint) => asString(asObject(taint).key) ?? ''),
    problems: isTrue.filter((type) => type !== 'Ready'),
    ...reportOf(texts, now),
    record: readRecord(record),
  };
}

function reportOf(annotations: Readonly<Record<string, string>>, now: number): Pick<RemediationNode, 'report'> {
  if (!Object.hasOwn(annotations, GANTRY_ACCELERATOR_CAPACITY)) {
    return {};
  }
  const read = reportAsOf(parseCapacityReport(annotations[GANTRY_ACCELERATOR_CAPACITY]), now, REPORT_SECONDS);
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

/** Gangs with devices, and the pods of the device plugin. Pods of DaemonSets belong to their node and are in no gang. */
export function remediationPods(
  objects: readonly JsonObject[],
  { devicePluginNamespace, devicePluginLabels }: RemediationSettings,
): { readonly gangs: readonly RemediationGang[]; readonly plugins: readonly RemediationPod[] } {
  const gangs = new Map<string, { readonly pods: RemediationPod[]; usesDevices: boolean }>();
  const plugins: RemediationPod[] = [];
  for (const object of objects) {
    const metadata = asObject(object.metadata);
    const node = asString(asObject(object.spec).nodeName);
    const phase = asObject(object.status).phase;
    if (node === undefined || phase === 'Succeeded' || phase === 'Failed' || metadata.deletionTimestamp !== undefined) {
      continue;
    }
    const pod = {
      namespace: asString(metadata.namespace) ?? 'default',
      name: asString(metadata.name) ?? '',
      uid: asString(metadata.uid) ?? '',
      node,
    };
    const labels = textsOf(metadata.labels);
    const isPlugin = Object.entries(devicePluginLabels).every(
      ([key, value]) => Object.hasOwn(labels, key) && labels[key] === value,
    );
    if (pod.namespace === devicePluginNamespace && isPlugin) {
      plugins.push(pod);
    }
    const { key, group, together, ofNode } = gangIdentityOf(object);
    if (ofNode) {
      continue;
    }
    // The pods of a Deployment are of use one by one, and those on other nodes stay.
    const id = together ? `${key} ${group}`.trim() : `${pod.namespace}/pod/${pod.name}`;
    const gang = gangs.get(id) ?? { pods: [], usesDevices: false };
    gang.pods.push(pod);
    gang.usesDevices ||= usesDevices(object);
    gangs.set(id, gang);
  }
  return {
    gangs: [...gangs].flatMap(([key, { pods, usesDevices: uses }]) => (uses ? [{ key, pods }] : [])),
    plugins,
  };
}

/** Extended resources have a domain; hugepages do not. */
function usesDevices({ spec }: JsonObject): boolean {
  return asArray(asObject(spec).containers).some((container) => {
    const { limits, requests } = asObject(asObject(container).resources);
    return [...Object.keys(asObject(limits)), ...Object.keys(asObject(requests))].some((name) => name.includes('/'));
  });
}

function textsOf(value: JsonValue | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(asObject(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

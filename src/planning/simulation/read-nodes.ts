/**
 * The nodes of a scenario file.
 */
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device, type Taint, type TaintEffect } from '../../placement';
import { type Fields } from '../cluster/files/fields';
import { labeledPool } from '../cluster/nodes/pools';
import { devicesOf } from './faults';
import { readMeasures } from './read-reports';
import { type ScalingGroup, type ScalingTerms, type ScenarioReport } from './scenario';
import { type SpotTerms } from './spot';

/** The notice that AWS gives before it takes a spot instance back; others give less. */
export const DEFAULT_NOTICE_SECONDS = 120;

/** An entry of `nodes`. */
export interface NodeGroup {
  readonly nodes: readonly ClusterNode[];
  readonly scaling?: ScalingGroup;
  readonly spot?: SpotTerms & { readonly seed: number };
  readonly report?: ScenarioReport;
}

/** One node, or `count` of them whose names end in their number. */
export function readNodes(fields: Fields): NodeGroup {
  const name = fields.required('name');
  const count = fields.number('count', { least: 1, most: 100_000, whole: true });
  const digits = String(count).length;
  const names =
    count === undefined
      ? [name]
      : Array.from({ length: count }, (_, i) => `${name}-${String(i + 1).padStart(digits, '0')}`);
  const node = readShape(fields, name);
  const scale = fields.fields('autoscale');
  const spot = fields.fields('spot');
  if (scale !== undefined && spot !== undefined) {
    fields.wrongAt('autoscale', 'must not be set together with spot');
  }
  const scaling = scale === undefined ? undefined : { name, nodes: names, ...readScaling(scale, names.length) };
  const interruptions = spot === undefined ? undefined : readInterruptions(spot);
  const report = fields.fields('report');
  const reported = report === undefined ? undefined : readMeasures(report, devicesOf(node).length);
  fields.done();
  const ready = scaling?.least ?? names.length;
  return {
    nodes: names.map((own, i) => ({ ...node, name: own, ...(i >= ready && { ready: false }) })),
    ...(scaling !== undefined && { scaling }),
    ...(interruptions !== undefined && { spot: interruptions }),
    ...(reported !== undefined && { report: { nodes: names, devices: reported } }),
  };
}

function readShape(fields: Fields, name: string): ClusterNode {
  const device = fields.text('deviceResource') ?? DEFAULT_DEVICE_RESOURCE;
  const amounts = fields.amounts('allocatable', device) ?? {};
  if (!fields.has('allocatable')) {
    fields.wrongAt(
      'allocatable',
      'is required; set the resources of the node, such as {cpu: 96, memory: 1Ti, gpus: 8}',
    );
  }
  if ((amounts.cpu ?? 0) > 10_000_000) {
    fields.wrongAt(
      'allocatable.cpu',
      `is ${amounts.cpu / 1000} cores; write milli-CPU with the suffix m, such as 96000m`,
    );
  }
  const taints = fields.list('taints').map(readTaint);
  const labels = fields.map('labels') ?? {};
  const pool = fields.text('pool') ?? labeledPool(labels);
  const gpu = fields.fields('gpu');
  const memoryMiB = gpu?.number('memoryMiBPerGpu', { least: 1 });
  const model = gpu?.text('model');
  gpu?.done();
  const shape: Device = {
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(model === undefined ? {} : { model }),
  };
  return {
    name,
    allocatable: { pods: 110, ...amounts },
    labels,
    ...(pool === undefined ? {} : { pool }),
    ...(taints.length === 0 ? {} : { taints }),
    ...(device === DEFAULT_DEVICE_RESOURCE ? {} : { deviceResource: device }),
    ...(gpu === undefined ? {} : { devices: Array.from({ length: amounts[device] ?? 0 }, () => shape) }),
    ready: fields.flag('ready'),
    unschedulable: fields.flag('unschedulable'),
  };
}

function readInterruptions(fields: Fields): NodeGroup['spot'] {
  const seed = fields.number('seed', { least: 0, whole: true }) ?? 1;
  return { ...readSpot(fields), seed };
}

/** How an autoscaler starts and ends the nodes of a pool with at most `most` nodes. */
export function readScaling(fields: Fields, most: number): ScalingTerms {
  const least = fields.number('min', { least: 0, most, whole: true }) ?? 0;
  const delaySeconds = fields.duration('delay');
  if (!fields.has('delay')) {
    fields.wrongAt('delay', 'is required; set the time from the request of a node until it is ready, such as 4m');
  } else if (delaySeconds === 0) {
    fields.wrong('delay', 0, 'more than 0');
  }
  const idleSeconds = fields.duration('idle') ?? 600;
  fields.done();
  return { least, delaySeconds: delaySeconds ?? 1, idleSeconds };
}

/** The interruptions of spot nodes. */
export function readSpot(fields: Fields): SpotTerms {
  const rate = fields.number('interruptionsPerHour', { least: 0, most: 60 });
  const noticeSeconds = fields.duration('notice') ?? DEFAULT_NOTICE_SECONDS;
  const replaced = fields.duration('replacedAfter');
  if (!fields.has('interruptionsPerHour')) {
    fields.wrongAt('interruptionsPerHour', 'is required; set the interruptions of one node per hour, such as 0.05');
  }
  if (!fields.has('replacedAfter')) {
    fields.wrongAt(
      'replacedAfter',
      'is required; set the time until a new node replaces the interrupted one, such as 5m',
    );
  }
  fields.done();
  return { interruptionsPerHour: rate ?? 0, noticeSeconds, replacedAfterSeconds: replaced ?? 0 };
}

function readTaint(fields: Fields): Taint {
  const taint: Taint = {
    key: fields.required('key'),
    value: fields.text('value'),
    effect: fields.oneOf<TaintEffect>('effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute']) ?? 'NoSchedule',
  };
  fields.done();
  return taint;
}

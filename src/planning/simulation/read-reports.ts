/**
 * Capacity reports of a scenario file.
 */
import { type ClusterNode } from '../../placement';
import { type Fields } from '../cluster/files/fields';
import { devicesOf } from './faults';
import { matches } from './read-expectations';
import { type ReportedDevice, type ScenarioEvent, type ScenarioReport } from './scenario';

const MEASURES = ['freeMemoryMiB', 'utilization', 'latencyMs'] as const;

/**
 * What a report says: measures of each device, or a list of `devices`.
 *
 * @param devices number of devices of the node, or of the smallest of the nodes
 */
export function readMeasures(fields: Fields, devices: number): readonly ReportedDevice[] {
  if (!fields.has('devices')) {
    const measured = readDevice(fields);
    fields.done();
    return [measured];
  }
  const both = MEASURES.find((name) => fields.has(name));
  if (both !== undefined) {
    fields.wrongAt(both, 'must not be set together with devices; set it on the devices');
  }
  const list = fields.list('devices').map((entry): ReportedDevice => {
    const index = entry.number('index', { least: 0, whole: true });
    if (!entry.has('index')) {
      entry.wrongAt('index', 'is required; set the index of the device, from 0');
    } else if (index !== undefined && index >= devices) {
      if (devices === 0) {
        entry.wrongAt('index', 'must not be set, because the node has no devices');
      } else {
        entry.wrong('index', index, `at most ${devices - 1}`);
      }
    }
    const measured = { index: index ?? 0, ...readDevice(entry), ...(entry.flag('held') === true && { held: true }) };
    entry.done();
    return measured;
  });
  const twice = list.find(({ index }, at) => list.findIndex((one) => one.index === index) < at);
  if (twice !== undefined) {
    fields.wrongAt('devices', `contains device ${twice.index} twice`);
  }
  fields.done();
  return list;
}

function readDevice(fields: Fields): ReportedDevice {
  const freeMemoryMiB = fields.number('freeMemoryMiB', { least: 0 });
  const utilization = fields.number('utilization', { least: 0, most: 1 });
  const latencyMs = fields.number('latencyMs', { least: 0 });
  if (!MEASURES.some((name) => fields.has(name))) {
    fields.wrongAt('', 'must set at least one of freeMemoryMiB, utilization, and latencyMs');
  }
  return {
    ...(freeMemoryMiB !== undefined && { freeMemoryMiB }),
    ...(utilization !== undefined && { utilization }),
    ...(latencyMs !== undefined && { latencyMs }),
  };
}

/** `report` of an event: what the agents of the nodes report from then on, or that they stop. */
export function readReportEvent(fields: Fields, at: number, nodes: readonly ClusterNode[]): readonly ScenarioEvent[] {
  const patterns = fields.texts('report');
  const stops = fields.flag('stops');
  if (patterns === undefined) {
    if (stops !== undefined) {
      fields.wrongAt('stops', 'must not be set without report');
    }
    return [];
  }
  const named = nodes.filter(({ name }) => patterns.some((pattern) => matches(pattern, name)));
  if (named.length === 0) {
    fields.wrong('report', patterns.join(', '), 'names of nodes, or a pattern such as rack-2-* that matches a node');
  }
  if (fields.has('queue')) {
    fields.wrongAt('report', 'must not be set together with queue');
    return [];
  }
  const set = fields.fields('set');
  if ((set === undefined) === (stops !== true)) {
    fields.wrongAt('set', 'is required, such as {utilization: 0.9}, except with stops: true');
  }
  const least = Math.min(...named.map((node) => devicesOf(node).length));
  const report: ScenarioReport = {
    nodes: named.map(({ name }) => name),
    ...(set !== undefined && { devices: readMeasures(set, named.length === 0 ? Infinity : least) }),
  };
  return [{ at, kind: 'report', report }];
}

/**
 * The nodes of a scenario file.
 */
import { type ClusterNode, DEFAULT_DEVICE_RESOURCE, type Device, type Taint, type TaintEffect } from '../../placement';
import { type Fields } from '../cluster/fields';

/** One node, or `count` of them whose names end in their number. */
export function readNodes(fields: Fields): ClusterNode[] {
  const name = fields.required('name');
  const count = fields.number('count', { least: 1, most: 100_000, whole: true });
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
  const gpu = fields.fields('gpu');
  const memoryMiB = gpu?.number('memoryMiBPerGpu', { least: 1 });
  const model = gpu?.text('model');
  gpu?.done();
  const shape: Device = {
    ...(memoryMiB === undefined ? {} : { memoryMiB }),
    ...(model === undefined ? {} : { model }),
  };
  const node: ClusterNode = {
    name,
    allocatable: { pods: 110, ...amounts },
    labels: fields.map('labels') ?? {},
    ...(taints.length === 0 ? {} : { taints }),
    ...(device === DEFAULT_DEVICE_RESOURCE ? {} : { deviceResource: device }),
    ...(gpu === undefined ? {} : { devices: Array.from({ length: amounts[device] ?? 0 }, () => shape) }),
    ready: fields.flag('ready'),
    unschedulable: fields.flag('unschedulable'),
  };
  fields.done();
  if (count === undefined) {
    return [node];
  }
  const digits = String(count).length;
  return Array.from({ length: count }, (_, i) => ({ ...node, name: `${name}-${String(i + 1).padStart(digits, '0')}` }));
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

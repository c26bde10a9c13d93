import { type JsonObject, type JsonValue } from '../../../src/facts/api/schema';
import { capacityReportReadable } from '../../../src/constructs/pods/rules/gantry-report';
import { findingsOf } from '../../support/findings';

function node(report: string): JsonObject {
  const annotations = { 'gantry.dev/accelerator-capacity': report };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'gpu-1', annotations } };
}
const found = (report: string): readonly string[] =>
  findingsOf(JSON.stringify(node(report)), [capacityReportReadable]).map(({ message, fix }) => `${message} — ${fix}`);
const device = (value: JsonValue): string =>
  JSON.stringify({ at: '2026-01-01T00:00:00Z', devices: [{ index: 0 }, value] });

test.each([
  ['what the agent writes', device({ index: 1, freeMemoryMiB: 40_000, utilization: 0.3, latencyMs: 4, held: true })],
  ['a time as a number', '{"at": 1767225600000, "devices": []}'],
])('%s is a report', (_name, report) => {
  expect(found(report)).toEqual([]);
});

test.each([
  [
    'no JSON',
    'devices: 8',
    'the report of the node agent cannot be read — Set annotations["gantry.dev/accelerator-capacity"] to JSON such as',
  ],
  [
    'null',
    'null',
    'the report of the node agent cannot be read — Set annotations["gantry.dev/accelerator-capacity"] to an object with',
  ],
  ['no time', '{"devices": []}', 'at of the report cannot be read — Set at of the report to a time such as'],
  ['a time that is none', '{"at": "today", "devices": []}', 'at of the report cannot be read'],
  ['no devices', '{"at": 1}', 'devices of the report cannot be read — Set devices of the report to a list of devices'],
  ['a device without index', device({}), 'devices[1].index of the report cannot be read'],
  ['an index below 0', device({ index: -1 }), 'devices[1].index of the report cannot be read'],
  [
    'an amount with a unit',
    device({ index: 1, freeMemoryMiB: '40Gi' }),
    'devices[1].freeMemoryMiB of the report cannot be read — Set devices[1].freeMemoryMiB of the report to a number that is not negative, or remove the annotation.',
  ],
  [
    'a utilization below 0',
    device({ index: 1, utilization: -0.1 }),
    'devices[1].utilization of the report cannot be read',
  ],
  [
    'a latency that is no number',
    device({ index: 1, latencyMs: null }),
    'devices[1].latencyMs of the report cannot be read',
  ],
  [
    'held as text',
    device({ index: 1, held: 'yes' }),
    'devices[1].held of the report cannot be read — Set devices[1].held of the report to true or false',
  ],
])('%s is an error that names the place', (_name, report, expected) => {
  expect(found(report)).toEqual([expect.stringContaining(expected)]);
});

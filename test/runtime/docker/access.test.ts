/**
 * Who may ask over the network, and what Prometheus gets.
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UseHistory } from '../../../src/runtime/docker/devices/use-history';
import { Ledger } from '../../../src/runtime/docker/runner/ledger';
import { Metrics } from '../../../src/runtime/docker/service/metrics';
import { Tokens } from '../../../src/runtime/docker/service/tokens';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { PLACE, queued } from './tasks';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-access-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ADMIN = 'a'.repeat(64);
const ALICE = 'b'.repeat(20);

function tokens(text: string, mode = 0o600): Tokens {
  const path = join(folder, 'tokens');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return Tokens.read(path, ['alice']);
}

test('a token is its caller, and nothing else is one', () => {
  const known = tokens(`# comment\n\nadmin ${ADMIN}\n  alice   ${ALICE}  \n`);
  expect(known.caller(`Bearer ${ADMIN}`)).toEqual({});
  expect(known.caller(`Bearer ${ALICE}`)).toEqual({ tenant: 'alice' });
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    ALICE,
    `Basic ${ALICE}`,
    `Bearer ${ALICE}x`,
    'Bearer admin',
  ]) {
    expect(known.caller(header)).toBeUndefined();
  }
  expect(tokens('').caller('Bearer ')).toBeUndefined();
});

test('a file of tokens that others can read, or without a name, is refused', () => {
  expect(() => tokens(`admin ${ADMIN}`, 0o644)).toThrow('other users can read it');
  expect(() => tokens(`admin ${ADMIN}\nbob ${ALICE}`)).toThrow('line 2: "bob" is neither a tenant nor "admin"');
  expect(() => tokens('admin short')).toThrow('line 1: must be a name and a token of at least 20 characters');
  expect(() => tokens(`admin ${ADMIN} more`)).toThrow('line 1');
  expect(() => Tokens.read(join(folder, 'none'), [])).toThrow('ENOENT');
});

test('metrics count open tasks, devices, ends by class, and the time to the first placement', () => {
  const store = TaskStore.open(join(folder, 'state'));
  const ledger = new Ledger(store, new Map([['normal', 0]]), (error) => {
    throw error;
  });
  const history = new UseHistory();
  history.record(0, ['gpu-0'], new Map([['gpu-0', { busy: 0.5, memoryMiB: 3 }]]), new Set());
  const metrics = new Metrics(ledger, history);
  ledger.add([queued(1), queued(2, { devices: { kind: 'whole', count: 1 } }), queued(3, { tenant: 'al"ice' })]);
  ledger.commit('1', { kind: 'place', at: 31_000, placements: [PLACE] });
  ledger.commit('1', { kind: 'created', member: 0, container: 'c' });
  ledger.commit('1', {
    kind: 'exited',
    member: 0,
    at: 32_000,
    code: 137,
    failure: { class: 'oom', message: '' },
    random: 0,
  });
  ledger.commit('2', { kind: 'place', at: 1500, placements: [PLACE] });
  const inventory = {
    name: 'host',
    devices: [{ id: 'gpu-0', memoryMiB: 4 }, { id: 'gpu-1' }],
    cpus: [],
    memoryBytes: 0,
  };
  const quarantined = new Map([['gpu-1', 'why']]);
  const status = { engine: 'e', isConnected: true, open: 2, inventory, drained: [], quarantined, foreign: [] };
  const lines = metrics.text(status).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'gantry_docker_engine_connected 1',
      'gantry_docker_tasks{tenant="default",state="starting"} 1',
      'gantry_docker_tasks{tenant="al\\"ice",state="queued"} 1',
      'gantry_docker_devices{index="0",device="gpu-0",state="used"} 1',
      'gantry_docker_devices{index="1",device="gpu-1",state="quarantined"} 1',
      'gantry_docker_device_busy_ratio{index="0",device="gpu-0"} 0.5',
      'gantry_docker_device_memory_used_bytes{index="0",device="gpu-0"} 3145728',
      'gantry_docker_device_memory_bytes{index="0",device="gpu-0"} 4194304',
      'gantry_docker_tasks_ended_total{tenant="default",state="failed",class="oom"} 1',
      'gantry_docker_task_wait_seconds_bucket{tenant="default",le="1"} 1',
      'gantry_docker_task_wait_seconds_bucket{tenant="default",le="60"} 2',
      'gantry_docker_task_wait_seconds_sum{tenant="default"} 30.5',
      'gantry_docker_task_wait_seconds_count{tenant="default"} 2',
    ]),
  );
  const names = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2]);
  expect(new Set(names).size).toBe(names.length);
  store.close();
});

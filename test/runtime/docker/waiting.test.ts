/**
 * Queued tasks that do not wait for a place: for another task, or for a time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Dependencies } from '../../../src/runtime/docker/runner/dependencies';
import { Ledger } from '../../../src/runtime/docker/runner/ledger';
import { Waiting } from '../../../src/runtime/docker/runner/waiting';
import { TaskStore } from '../../../src/runtime/docker/store/store';
import { queued } from './tasks';

const NOW = 1_000_000;

let folder: string;
let store: TaskStore;
let ledger: Ledger;
let waiting: Waiting;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gantry-waiting-'));
  store = TaskStore.open(folder);
  ledger = new Ledger(store, new Map(), (error) => {
    throw error;
  });
  waiting = new Waiting(ledger, new Dependencies(ledger, store));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

const readyIds = (): readonly string[] => waiting.ready(NOW).map(({ id }) => id);

test('a task is given up once a task that it waits for cannot succeed, and with it those that wait for it', () => {
  ledger.add([queued(1), queued(2, { after: ['1'] }), queued(3, { after: ['2'] }), queued(4)]);
  waiting.giveUp(NOW);
  expect(ledger.size).toBe(4);
  expect(readyIds()).toEqual(['1', '4']);
  ledger.commit('1', { kind: 'cancel', at: NOW });
  waiting.giveUp(NOW);
  expect(['2', '3'].map((id) => ledger.find(id))).toMatchObject([
    { state: 'failed', failure: { class: 'dependency' } },
    { state: 'failed', failure: { class: 'dependency' } },
  ]);
  expect(readyIds()).toEqual(['4']);
});

test('a task that waits after a failure is ready at its time, which is the next one at which something is due', () => {
  ledger.add([queued(1)]);
  expect(waiting.nextDue(NOW)).toBe(Infinity);
  ledger.restore({ ...queued(1), notBefore: NOW + 5000 });
  ledger.restore({ ...queued(2), notBefore: NOW + 2000 });
  expect(waiting.nextDue(NOW)).toBe(2000);
  expect(readyIds()).toEqual([]);
  ledger.commit('2', { kind: 'cancel', at: NOW });
  expect(waiting.nextDue(NOW)).toBe(5000);
  ledger.restore(queued(1));
  expect(waiting.nextDue(NOW)).toBe(Infinity);
  expect(readyIds()).toEqual(['1']);
});

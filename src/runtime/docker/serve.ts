/**
 * Puts the runner together: the store, the engine, what the host has, and the service.
 */
import { hostname } from 'node:os';
import { engineAddress } from './engine/address';
import { Engine } from './engine/engine';
import { cdiDevices, discovered } from './devices/cdi';
import { hostCpus } from './devices/cpus';
import { type Inventory } from './devices/inventory';
import { type RunnerConfiguration } from './configuration';
import { SYSTEM_CLOCK } from './runner/clock';
import { Runner } from './runner/runner';
import { ownerOf } from './runner/ownership';
import { Service } from './service/server';
import { TaskStore } from './store/store';
import { join } from 'node:path';

export interface ServeOptions {
  readonly configuration: RunnerConfiguration;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Take over the engine of a runner whose store was lost; its running tasks are entered from their containers. */
  readonly adopt: boolean;
  readonly log: (line: string) => void;
}

export interface Serving {
  readonly inventory: Inventory;
  readonly engine: string;
  readonly close: () => Promise<void>;
}

/** Copies of the store are made this often, milliseconds. */
const BACKUP = 3_600_000;
const BACKUP_FILE = 'tasks.db.backup';
const DAY = 86_400_000;

/** @throws RunnerError, EngineError */
export async function serve({ configuration, env, version, adopt, log }: ServeOptions): Promise<Serving> {
  const engine = new Engine(engineAddress(configuration.engine, env));
  const info = await engine.info();
  const inventory: Inventory = {
    name: info.Name ?? hostname(),
    devices: configuration.devices ?? cdiDevices(info),
    cpus: hostCpus(info.NCPU ?? 0),
    memoryBytes: info.MemTotal ?? 0,
  };
  const store = TaskStore.open(configuration.state);
  if (adopt) {
    store.become(await ownerOf(engine, store.runner, configuration.state));
  }
  const cdi = discovered(info);
  const runner = new Runner({
    engine,
    store,
    configuration,
    inventory: () => inventory,
    cdi: () => cdi,
    clock: SYSTEM_CLOCK,
    random: Math.random,
    log,
  });
  const service = new Service({ runner, store, engine, version });
  await runner.start();
  await service.listen(configuration.socket, 0o660);
  if (configuration.tenantSockets !== undefined) {
    for (const { name } of configuration.tenants) {
      await service.listen(join(configuration.tenantSockets, name, 'runner.sock'), 0o660, { tenant: name });
    }
  }
  const tidy = (): void => {
    try {
      store.backUp(join(configuration.state, BACKUP_FILE));
      const before = SYSTEM_CLOCK.now() - configuration.keepDays * DAY;
      store.removeEndedBefore(before, 10_000).forEach((id) => runner.output.remove(id));
    } catch (error) {
      log(`the copy of the store was not made: ${(error as Error).message}`);
    }
  };
  tidy();
  const timer = setInterval(tidy, BACKUP);
  return {
    inventory,
    engine: engine.name,
    close: async () => {
      clearInterval(timer);
      await service.close();
      await runner.stop();
      engine.close();
      store.close();
    },
  };
}

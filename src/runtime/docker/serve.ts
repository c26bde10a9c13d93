/**
 * Puts the runner together: the store, the engine, what the host has, and the service.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type RunnerConfiguration } from '../../planning/runner-settings/settings';
import { cdiNames } from './devices/cdi';
import { hostCpus } from './devices/cpus';
import { DeviceWatch } from './devices/device-watch';
import { discover } from './devices/discover';
import { localTools, NO_TOOLS } from './devices/host-tools';
import { type Inventory } from './devices/inventory';
import { UseHistory } from './devices/use-history';
import { KernelLog } from './devices/xid-log';
import { engineAddress } from './engine/address';
import { Engine } from './engine/engine';
import { HIDDEN_PROCESSES, localProcesses } from './engine/processes';
import { factsOf } from './preflight/facts';
import { preflight } from './preflight/preflight';
import { SYSTEM_CLOCK } from './runner/clock';
import { ownerOf } from './runner/ownership';
import { Runner } from './runner/runner';
import { Listeners } from './service/listeners';
import { Service } from './service/server';
import { Tokens } from './service/tokens';
import { TaskStore } from './store/store';

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
  const isLocal = engine.address.kind === 'unix';
  const tools = isLocal ? localTools(env) : NO_TOOLS;
  const cdi = cdiNames(info, tools);
  const discovery = await discover(cdi, tools);
  const kernelLog = isLocal && discovery.isDescribed ? new KernelLog() : undefined;
  const facts = await factsOf({ info, cdi, discovery, tools, isLocal }, configuration);
  for (const { name, state, found, fix } of preflight(facts).filter((check) => check.state !== 'ok')) {
    log(`${state}: ${name}: ${found}${fix === undefined ? '' : `. ${fix}`}`);
  }
  const store = TaskStore.open(configuration.state);
  if (adopt) {
    store.become(await ownerOf(engine, store.runner, configuration.state));
  }
  const watch = new DeviceWatch(discovery.devices, {
    discover: () => discover(cdi, tools),
    ...(configuration.devices === undefined ? {} : { stated: configuration.devices }),
    records: () => kernelLog?.records() ?? [],
    quarantine: (device, reason) => runner.quarantine(device, reason),
    used: (found) => (use = found),
    changed: () => {
      inventory = { ...inventory, devices: watch.devices };
      runner.changed();
    },
    log,
  });
  let use = discovery.use;
  let inventory: Inventory = {
    name: info.Name ?? hostname(),
    devices: watch.devices,
    cpus: hostCpus(info.NCPU ?? 0),
    memoryBytes: info.MemTotal ?? 0,
  };
  const runner = new Runner({
    engine,
    store,
    configuration,
    inventory: () => inventory,
    cdi: () => cdi,
    processes: isLocal ? localProcesses() : HIDDEN_PROCESSES,
    clock: SYSTEM_CLOCK,
    random: Math.random,
    log,
  });
  const history = new UseHistory();
  const service = new Service({ runner, store, engine, version, history, configuration, clock: SYSTEM_CLOCK });
  const remember = (): void =>
    history.record(
      SYSTEM_CLOCK.now(),
      inventory.devices.map(({ id }) => id),
      use,
      new Set(runner.ledger.active.flatMap(({ members }) => members.flatMap(({ deviceIds }) => deviceIds))),
    );
  await runner.start();
  const listeners = new Listeners(service.answer);
  await listeners.socket(configuration.socket, 0o660, {});
  if (configuration.tenantSockets !== undefined) {
    for (const { name } of configuration.tenants) {
      await listeners.socket(join(configuration.tenantSockets, name, 'runner.sock'), 0o660, { tenant: name });
    }
  }
  if (configuration.listen !== undefined) {
    await listeners.network(
      configuration.listen,
      Tokens.read(
        configuration.listen.tokens,
        configuration.tenants.map(({ name }) => name),
      ),
    );
  }
  const tidy = (): void => {
    try {
      store.backUp(join(configuration.state, BACKUP_FILE));
      const before = SYSTEM_CLOCK.now() - configuration.keepDays * DAY;
      store.removeEndedBefore(before, 10_000).forEach((id) => runner.output.remove(id));
    } catch (error) {
      log(`the store was not backed up: ${(error as Error).message}`);
    }
  };
  tidy();
  const look = async (): Promise<void> => {
    if (discovery.isDescribed) {
      await watch.look();
    }
    remember();
  };
  remember();
  const timers = [setInterval(tidy, BACKUP), repeated(look, configuration.devicePollSeconds * 1000, log)];
  return {
    inventory,
    engine: engine.name,
    close: async () => {
      timers.forEach((timer) => clearInterval(timer));
      await listeners.close();
      await runner.stop();
      kernelLog?.close();
      engine.close();
      store.close();
    },
  };
}

/** Work that begins again after a pause, never twice at a time. */
function repeated(work: () => Promise<void>, pause: number, log: (line: string) => void): NodeJS.Timeout {
  let isBusy = false;
  return setInterval(() => {
    if (!isBusy) {
      isBusy = true;
      void work()
        .catch((error: unknown) => log(`the devices were not checked: ${(error as Error).message}`))
        .finally(() => (isBusy = false));
    }
  }, pause);
}

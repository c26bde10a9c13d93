/**
 * What the preflight reads of the host and the engine.
 */
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RunnerConfiguration } from '../../../planning/runner-settings/settings';
import { cdiNames } from '../devices/cdi';
import { discover, type Discovery } from '../devices/discover';
import { withFaults } from '../devices/device-watch';
import { type HostTools, localTools, NO_TOOLS } from '../devices/host-tools';
import { engineAddress } from '../engine/address';
import { type EngineInfo } from '../engine/answers';
import { Engine } from '../engine/engine';
import { EngineError } from '../engine/engine-error';
import { storeProblem } from '../store/database';
import { type HostFacts } from './preflight';

const PCI = '/sys/bus/pci/devices';
const NVIDIA = '0x10de';

/** @throws RunnerError if the address of the engine is none */
export async function hostFacts(
  configuration: RunnerConfiguration,
  env: Readonly<Record<string, string | undefined>>,
): Promise<HostFacts> {
  const engine = new Engine(engineAddress(configuration.engine, env));
  try {
    const isLocal = engine.address.kind === 'unix';
    const tools = isLocal ? localTools(env) : NO_TOOLS;
    const found = await infoOf(engine);
    const info = found instanceof EngineError ? {} : found;
    const cdi = cdiNames(info, tools);
    const facts = await factsOf({ info, cdi, discovery: await discover(cdi, tools), tools, isLocal }, configuration);
    const problem = storeProblem();
    return {
      ...facts,
      ...(found instanceof EngineError ? { engineProblem: found } : {}),
      ...(problem === undefined ? {} : { storeProblem: problem }),
    };
  } finally {
    engine.close();
  }
}

/** What keeps the engine from answering is a fact of the host too. */
async function infoOf(engine: Engine): Promise<EngineInfo | EngineError> {
  try {
    return await engine.info();
  } catch (error) {
    if (error instanceof EngineError) {
      return error;
    }
    throw error;
  }
}

export interface Found {
  readonly info: EngineInfo;
  readonly cdi: ReadonlySet<string>;
  readonly discovery: Discovery;
  readonly tools: HostTools;
  readonly isLocal: boolean;
}

export async function factsOf(
  { info, cdi, discovery, tools, isLocal }: Found,
  { devices, state, lockMemory }: RunnerConfiguration,
): Promise<HostFacts> {
  const toolkit = /version (\d[\d.]*)/.exec((await tools.run('nvidia-ctk', '--version')) ?? '')?.[1];
  const openFiles = /^Max open files\s+(\d+)/m.exec(textOf('/proc/self/limits'))?.[1];
  const freeBytes = freeIn(state);
  return {
    info,
    cdi,
    devices: devices === undefined ? discovery.devices : withFaults(devices, discovery.devices),
    isLocal,
    ...(discovery.driver === undefined ? {} : { driver: discovery.driver }),
    ...(toolkit === undefined ? {} : { toolkit }),
    nvidiaOnPci: isLocal ? nvidiaDevices() : 0,
    ...(openFiles === undefined ? {} : { openFiles: Number(openFiles) }),
    ...(freeBytes === undefined ? {} : { freeBytes }),
    lockMemory,
  };
}

/** Display and 3D controllers of NVIDIA. */
function nvidiaDevices(): number {
  try {
    return readdirSync(PCI).filter(
      (name) =>
        textOf(join(PCI, name, 'vendor')).trim() === NVIDIA && textOf(join(PCI, name, 'class')).startsWith('0x03'),
    ).length;
  } catch {
    return 0;
  }
}

function freeIn(folder: string): number | undefined {
  let path = folder;
  while (!existsSync(path) && dirname(path) !== path) {
    path = dirname(path);
  }
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * The settings of the runner as props, and `runner.yaml` as a value, which is read as the runner reads it before anything is written.
 */
import { type Duration } from 'cdk8s';
import { type AcceleratorName, isWholeDevice } from '../../facts/catalog';
import { type JsonObject } from '../../facts/api/schema';
import { definedJson } from '../../manifests/values/members';
import { parseQuantity } from '../../manifests/values/quantity';
import { faultText, readSettings } from '../../planning/runner-settings/read-settings';
import { SYSTEM_CONFIGURATION } from '../../planning/runner-settings/settings';
import { type Amounts, amountsByName } from '../pods/amounts';
import { millisecondsOf, optionalSecondsOf } from '../resources/durations';
import { type ByteSize, optionalBytesText } from '../resources/quantities';

/** What a tenant may count on, or use at most: CPUs, memory, and whole devices of any vendor. */
export type TenantAmounts = Pick<Amounts, 'cpu' | 'memory' | 'accelerators'>;

/** A tenant of the runner. */
export interface RunnerTenant {
  /** Part of what is left that the tenant gets among its peers; greater than 0. @default 1 */
  readonly weight?: number;
  /** What the tenant can count on. @default - nothing: everything is shared by weight */
  readonly quota?: TenantAmounts;
  /** What the tenant uses at most. @default - no limit */
  readonly limit?: TenantAmounts;
}

/** Where the runner listens besides its sockets. It speaks TLS only, and every request needs a token. */
export interface RunnerListener {
  /** Address of the host. @default 0.0.0.0 */
  readonly address?: string;
  /** TCP port. @default 8443 */
  readonly port?: number;
  /** Path of the certificate on the host, in PEM. */
  readonly certificate: string;
  /** Path of the private key on the host, in PEM. */
  readonly key: string;
  /** Path of the file on the host with a line `NAME TOKEN` for each caller. Tokens are secrets, so that no prop takes them. */
  readonly tokens: string;
}

/** A MIG instance of a device. */
export interface RunnerMigInstance {
  /** UUID of the instance, as `nvidia-smi -L` lists it. */
  readonly uuid: string;
  /** MIG profile, for example `1g.10gb`. */
  readonly profile: string;
}

/** What a container gets with a device. It becomes a CDI specification. */
export interface ContainerDevice {
  /** Device files, such as `/dev/accel0`. @default - none */
  readonly deviceFiles?: readonly string[];
  /** Files and folders of the host, such as libraries of the driver, which containers can read at the same path. @default - none */
  readonly mounts?: readonly string[];
  /** Environment variables. @default - none */
  readonly env?: Readonly<Record<string, string>>;
}

/** A device of the host. It has a CDI name, a UUID, or both. */
export interface RunnerDevice {
  /** Full CDI name, `vendor/class=name`. @default - the device is given to containers by its UUID */
  readonly cdi?: string;
  /** UUID of an NVIDIA device. @default - the CDI name identifies the device */
  readonly uuid?: string;
  /** The model that tasks request with `--gpu`, such as `H100-SXM-80GB`. @default - tasks cannot request the device by its model */
  readonly model?: AcceleratorName;
  /** Memory of the device, which `--gpu-memory` requires. @default - the device is given as a whole only */
  readonly memory?: ByteSize;
  /** The memory node next to the device. @default - not known */
  readonly numa?: number;
  /** Devices of one island are connected by NVLink or a similar link; any name. @default - none */
  readonly island?: string;
  /** The MIG instances into which the device is divided. @default - it is not divided */
  readonly mig?: readonly RunnerMigInstance[];
  /**
   * What a container gets with the device, for devices whose vendor has no generator of CDI specifications. Requires `cdi`.
   * @default - a program of the vendor, such as `nvidia-ctk cdi generate`, writes the specification
   */
  readonly container?: ContainerDevice;
}

/** What is kept from tasks. */
export interface ReservedAmounts {
  /** Whole CPUs. @default 0 */
  readonly cpu?: number;
  /** Memory with its unit. @default - none */
  readonly memory?: ByteSize;
}

/** Settings of the runner. */
export interface RunnerSettings {
  /** Folder of the tasks and their output. @default /var/lib/gantry-docker */
  readonly state?: string;
  /** Socket of administrators. Who can connect to it is root on the host. @default /run/gantry-docker/runner.sock */
  readonly socket?: string;
  /** Folder with one socket for each tenant. @default - none: tenants need a token */
  readonly tenantSockets?: string;
  /** Where the runner listens on the network. @default - on sockets only */
  readonly listen?: RunnerListener;
  /** Address of the Docker engine, such as `unix:///var/run/docker.sock`. @default - the local socket */
  readonly engine?: string;
  /** Tenants by name. @default - one, `default` */
  readonly tenants?: Readonly<Record<string, RunnerTenant>>;
  /** Priorities by name; `normal` is required, because tasks have it by default. @default - low -100, normal 0, high 100 */
  readonly priorities?: Readonly<Record<string, number>>;
  /** What is kept from tasks. @default - nothing */
  readonly reserved?: ReservedAmounts;
  /** The devices of the host. @default - those that the runner discovers */
  readonly devices?: readonly RunnerDevice[];
  /** Time for which ended tasks and their output are kept. @default - 30 days */
  readonly keep?: Duration;
  /** Whether containers with devices may lock as much memory as they like. @default true */
  readonly lockMemory?: boolean;
  /** Time from one look at the health of the devices to the next, from 1 second to 1 hour. @default - 15 seconds */
  readonly devicePoll?: Duration;
}

const DAY = 86_400_000;

/** The contents of `runner.yaml`. Members that are not set are left out. */
export function runnerValue(settings: RunnerSettings): JsonObject {
  const { state, socket, tenantSockets, listen, engine, tenants, priorities, reserved, devices, keep } = settings;
  return definedJson({
    state,
    socket,
    tenantSockets,
    listen: listen && listenerValue(listen),
    engine,
    tenants: tenants && mapped(tenants, (tenant, name) => tenantValue(`tenants.${name}`, tenant)),
    priorities,
    reserved:
      reserved && definedJson({ cpus: reserved.cpu, memory: optionalBytesText('reserved.memory', reserved.memory) }),
    devices: devices?.map((device, index) => deviceValue(`devices[${index}]`, device)),
    keepDays: keep && millisecondsOf('keep', keep) / DAY,
    lockMemory: settings.lockMemory,
    devicePollSeconds: optionalSecondsOf('devicePoll', settings.devicePoll),
  });
}

/** @throws with every mistake for which the runner would refuse the file */
export function checkRunnerValue(value: JsonObject, path: string): void {
  const { faults } = readSettings(value, path, SYSTEM_CONFIGURATION);
  if (faults.length > 0) {
    throw new Error(`the runner rejects these settings: ${faults.map(faultText).join('; ')}.`);
  }
}

function listenerValue({ address, port, certificate, key, tokens }: RunnerListener): JsonObject {
  return definedJson({ address, port, certificate, key, tokens });
}

function tenantValue(prop: string, { weight, quota, limit }: RunnerTenant): JsonObject {
  return definedJson({
    weight,
    quota: quota && amountsValue(`${prop}.quota`, quota),
    limit: limit && amountsValue(`${prop}.limit`, limit),
  });
}

function amountsValue(prop: string, amounts: TenantAmounts): JsonObject {
  const { cpu, memory, ...devices } = amountsByName(prop, amounts);
  const names = Object.keys(devices);
  const other = names.find((name) => !isWholeDevice(name));
  if (other !== undefined) {
    throw new Error(`${prop}: ${other} must not be set. The runner counts only CPUs, memory, and whole devices.`);
  }
  const gpus = names.reduce((sum, name) => sum + Number(devices[name]), 0);
  return definedJson({
    gpus: names.length === 0 ? undefined : gpus,
    cpus: cpu === undefined ? undefined : parseQuantity(cpu)?.toNumber(),
    memory,
  });
}

function deviceValue(prop: string, device: RunnerDevice): JsonObject {
  const { cdi, uuid, model, memory, numa, island, mig } = device;
  return definedJson({
    cdi,
    uuid,
    model,
    memory: optionalBytesText(`${prop}.memory`, memory),
    numa,
    island,
    mig: mig?.map(({ uuid: id, profile }) => ({ uuid: id, profile })),
  });
}

function mapped<V, R>(
  record: Readonly<Record<string, V>>,
  render: (value: V, name: string) => R,
): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, render(value, name)]));
}

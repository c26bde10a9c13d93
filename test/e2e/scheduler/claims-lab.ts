/**
 * Devices by claim on a live control plane: what a driver publishes, claims, what must hold of them at every moment, and the lab in which the
 * program runs as the account that GantryScheduler makes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { ApiClient } from '../control-plane/api-client';
import { FaultyProxy, type Trouble } from './faulty-proxy';
import { GantryProcess } from './gantry-process';
import { apply, kubeconfigFor, schedulerObjects, tokenOf } from './install';
import { Lab, nameOf } from './lab';
import { node, pod, type PodShape } from './manifests';

export const DRIVER = 'gpu.nvidia.com';
const API = 'resource.k8s.io/v1';
const ALL = `/apis/${API}`;
const OWN = `${ALL}/namespaces/default`;
export const CLAIMS = `${OWN}/resourceclaims`;
const NAMESPACE = 'gantry-system';
const NAME = 'gantry-scheduler';

export function deviceClass(name: string, expression: string, spec: JsonObject = {}): JsonObject {
  const selectors = [{ cel: { expression } }];
  return { apiVersion: API, kind: 'DeviceClass', metadata: { name }, spec: { selectors, ...spec } };
}

export function slice(node: string, devices: readonly JsonObject[], spec: JsonObject = {}, name = node): JsonObject {
  return {
    apiVersion: API,
    kind: 'ResourceSlice',
    metadata: { name: `${name}-${(asString(spec.driver) ?? DRIVER).replaceAll('.', '-')}` },
    spec: {
      driver: DRIVER,
      nodeName: node,
      pool: { name: node, generation: 1, resourceSliceCount: 1 },
      ...(devices.length > 0 && { devices: [...devices] }),
      ...spec,
    },
  };
}

export function gpus(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, i) => ({ name: `gpu-${i}`, attributes: { type: { string: 'gpu' } } }));
}

export const oneGpu: JsonObject = { name: 'gpu', exactly: { deviceClassName: DRIVER } };

export function template(name: string, ...requests: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: API,
    kind: 'ResourceClaimTemplate',
    metadata: { name, namespace: 'default' },
    spec: { spec: { devices: { requests: [...requests] } } },
  };
}

export function claim(name: string, ...requests: readonly JsonObject[]): JsonObject {
  return {
    apiVersion: API,
    kind: 'ResourceClaim',
    metadata: { name, namespace: 'default' },
    spec: { devices: { requests: [...requests] } },
  };
}

/** Pods without other devices, with one claim each. */
export function claimingGang(name: string, size: number, entry: JsonObject, shape: PodShape = {}): JsonObject[] {
  return Array.from({ length: size }, (_, index) =>
    pod(`${name}-${index}`, {
      gang: name,
      minimum: size,
      gpus: 0,
      ...shape,
      spec: { resourceClaims: [{ name: 'gpu', ...entry }], ...shape.spec },
    }),
  );
}

export function claims(lab: Lab): Promise<readonly JsonObject[]> {
  return lab.list(CLAIMS);
}

/** `POOL/DEVICE` of a claim. */
export function devicesOf({ status }: JsonObject): readonly string[] {
  return asArray(asObject(asObject(asObject(status).allocation).devices).results)
    .map(asObject)
    .map(({ pool, device }) => `${asString(pool)}/${asString(device)}`);
}

export async function allocated(lab: Lab): Promise<readonly string[]> {
  return (await claims(lab)).flatMap(devicesOf).sort();
}

/** Looks for faults all the time, beside what the test does. */
export class FaultWatch {
  /** In words. */
  readonly faults = new Set<string>();
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(look: () => Promise<readonly string[]>) {
    this.running = this.run(look);
  }

  /** Returns when it looks no more. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async run(look: () => Promise<readonly string[]>): Promise<void> {
    for (; !this.stopped; await sleep(200)) {
      try {
        (await look()).forEach((fault) => this.faults.add(fault));
      } catch {
        // The server is busy.
      }
    }
  }
}

/** In words: devices that two claims hold, pods that run without their claim or away from their devices. */
export async function claimFaults(lab: Lab): Promise<readonly string[]> {
  // A pod that is bound before the claims are read, and still there after it, has held its claims in between.
  const boundBefore = new Set((await lab.pods()).filter(isBound).map(uidOf));
  const all = await claims(lab);
  const pods = (await lab.pods()).filter((pod) => boundBefore.has(uidOf(pod)));
  const faults: string[] = [];
  const holders = new Map<string, string>();
  for (const one of all) {
    for (const device of devicesOf(one)) {
      const other = holders.get(device);
      if (other !== undefined) {
        faults.push(`${device} is held by ${other} and ${nameOf(one)}`);
      }
      holders.set(device, nameOf(one));
    }
  }
  for (const { metadata, spec, status } of pods) {
    const { nodeName, resourceClaims } = asObject(spec);
    const made = asArray(asObject(status).resourceClaimStatuses).map(asObject);
    for (const entry of nodeName === undefined ? [] : asArray(resourceClaims).map(asObject)) {
      const name = entry.resourceClaimName ?? made.find((one) => one.name === entry.name)?.resourceClaimName;
      const own = all.find((one) => nameOf(one) === name);
      const uids = asArray(asObject(own?.status).reservedFor).map((one) => asObject(one).uid);
      if (own !== undefined && !uids.includes(asObject(metadata).uid ?? null)) {
        faults.push(`${nameOf({ metadata })} runs without its claim`);
      }
      if (own !== undefined && devicesOf(own).some((device) => !device.startsWith(`${asString(nodeName)}/`))) {
        faults.push(`${nameOf({ metadata })} runs on ${asString(nodeName)}, away from ${devicesOf(own).join()}`);
      }
    }
  }
  return faults;
}

function isBound({ spec }: JsonObject): boolean {
  return asObject(spec).nodeName !== undefined;
}

function uidOf({ metadata }: JsonObject): string | undefined {
  return asString(asObject(metadata).uid);
}

export async function clearClaims(lab: Lab): Promise<void> {
  await lab.clear();
  for (const path of [CLAIMS, `${OWN}/resourceclaimtemplates`, `${ALL}/resourceslices`, `${ALL}/deviceclasses`]) {
    await lab.cluster.client.request('DELETE', path, { body: {} });
  }
  await lab.until('no claims', async () => (await claims(lab)).length === 0);
}

export function messageOf(of: JsonObject | undefined): string {
  const conditions = asArray(asObject(of?.status).conditions).map(asObject);
  return asString(conditions.find(({ type }) => type === 'PodScheduled')?.message) ?? '';
}

export interface ClaimsLabOptions {
  /** Text of the configuration file of the scheduler. */
  readonly config: string;
  /** The classes of the devices that `publish` publishes. */
  readonly classes: readonly JsonObject[];
  /** What else must hold at every moment, in words where it does not. @default - nothing else */
  readonly faults?: (lab: Lab) => Promise<readonly string[]>;
}

/** What the tests of one suite share. After each of them, what it started is stopped, and no fault was seen at any moment of it. */
export class ClaimsLab {
  private started: Lab | undefined;
  private kubeconfig = '';
  private readonly running: (GantryProcess | FaultyProxy)[] = [];
  private watch: FaultWatch | undefined;

  private constructor(private readonly options: ClaimsLabOptions) {}

  /** To be called in the `describe` of the suite. */
  static ofSuite(options: ClaimsLabOptions): ClaimsLab {
    const made = new ClaimsLab(options);
    beforeAll(() => made.begin());
    beforeEach(() => {
      made.watch = new FaultWatch(() => made.faults());
    });
    afterEach(async () => {
      await made.watch?.stop();
      for (const each of made.running.splice(0).reverse()) {
        await each.stop();
      }
      const found = [...(await made.faults()), ...(made.watch?.faults ?? [])];
      await clearClaims(made.lab);
      expect(found).toEqual([]);
    });
    afterAll(() => made.started?.stop());
    return made;
  }

  get lab(): Lab {
    if (this.started === undefined) {
      throw new Error('The lab starts before the first test of the suite');
    }
    return this.started;
  }

  /** Faults that were seen up to now, and that the test caused itself. */
  forget(which: RegExp): void {
    this.watch?.faults.forEach((fault) => which.test(fault) && this.watch?.faults.delete(fault));
  }

  private async begin(): Promise<void> {
    this.started = await Lab.start();
    await apply(this.lab, schedulerObjects());
    this.kubeconfig = kubeconfigFor(this.lab, await tokenOf(this.lab, NAMESPACE, NAME));
  }

  private async faults(): Promise<readonly string[]> {
    return [...(await claimFaults(this.lab)), ...((await this.options.faults?.(this.lab)) ?? [])];
  }

  async start(options: { readonly through?: string; readonly leaseSeconds?: number } = {}): Promise<GantryProcess> {
    const { through = this.kubeconfig, leaseSeconds } = options;
    const gantry = await GantryProcess.start({
      kubeconfig: through,
      config: this.options.config,
      ...(leaseSeconds !== undefined && {
        leaseSeconds,
        flags: ['--lease-namespace', NAMESPACE, '--lease-name', NAME],
      }),
    });
    this.running.push(gantry);
    return gantry;
  }

  /** The kubeconfig of a proxy with this trouble. */
  async through(trouble: Trouble): Promise<string> {
    const proxy = await FaultyProxy.start(this.kubeconfig);
    proxy.trouble = trouble;
    this.running.push(proxy);
    return proxy.kubeconfig;
  }

  /** Nodes `n-0`, … without other devices, and the devices of each. */
  async publish(nodes: number, devices: number): Promise<void> {
    const names = Array.from({ length: nodes }, (_, i) => `n-${i}`);
    await apply(this.lab, [...this.options.classes, ...names.map((name) => slice(name, gpus(devices)))]);
    await this.lab.create(...names.map((name) => node(name, { gpus: 0 })));
    await this.lab.nodesReady(nodes);
  }

  bound(count: number): Promise<void> {
    return this.lab.until(`${count} pods are bound`, async () => Object.keys(await this.lab.places()).length === count);
  }

  /** Starts a leader for these pods, cuts it off and kills it once `after` of its writes of a kind have passed, and starts the next one. */
  async killLeader(which: RegExp, after: number, pods: readonly JsonObject[]): Promise<void> {
    let passed = 0;
    let isCut = false;
    const through = await this.through((method, path) => {
      isCut ||= method !== 'GET' && which.test(path) && ++passed > after;
      return isCut && method !== 'GET' ? 503 : undefined;
    });
    const first = await this.start({ through, leaseSeconds: 5 });
    await first.until('leading: pods and nodes listed again');
    await this.lab.create(...pods);
    await this.lab.until('it is cut off', () => Promise.resolve(isCut));
    await first.stop('SIGKILL');
    await this.start({ leaseSeconds: 5 });
  }

  podNamed(name: string): Promise<JsonObject | undefined> {
    return this.lab.get(`/api/v1/namespaces/default/pods/${name}`);
  }

  /** A client with the rights of the scheduler. */
  async asScheduler(): Promise<ApiClient> {
    return new ApiClient({ ...this.lab.cluster.client.endpoint, token: await tokenOf(this.lab, NAMESPACE, NAME) });
  }
}

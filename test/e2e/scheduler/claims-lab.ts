/**
 * Devices by claim on a live control plane: what a driver publishes, claims, and what must hold of them at every moment.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asArray, asObject, asString } from '../../../src/manifests/read';
import { type Lab, nameOf } from './lab';
import { pod, type PodShape } from './manifests';

export const DRIVER = 'gpu.nvidia.com';
const API = 'resource.k8s.io/v1';
const ALL = `/apis/${API}`;
const OWN = `${ALL}/namespaces/default`;

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
  return lab.list(`${OWN}/resourceclaims`);
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
  for (const path of [
    `${OWN}/resourceclaims`,
    `${OWN}/resourceclaimtemplates`,
    `${ALL}/resourceslices`,
    `${ALL}/deviceclasses`,
  ]) {
    await lab.cluster.client.request('DELETE', path, { body: {} });
  }
  await lab.until('no claims', async () => (await claims(lab)).length === 0);
}

/**
 * ResourceClaims and their templates in the terms of the placement core, with what they hold already.
 */
import { type JsonObject, type JsonValue } from '../../../../facts/api/schema';
import { asArray, asInteger, asObject, asString } from '../../../../manifests/read';
import { type ClusterNode } from '../../../../placement';
import {
  type ClaimFacts,
  type DeviceClaim,
  type DeviceClaims,
  type RequestAlternative,
} from '../../../../placement/model/claims';
import { claimKey, type ClassRequest, extendedRequests } from '../claim-key';
import { nanosOf, type Nodes, selectedBy, sliceOf } from './read-slices';
import { type DeviceSelector, selectorOf, whyNone } from './selectors';

const GROUP = 'resource.k8s.io';

/**
 * @param ofKind the objects of a kind, as `group/Kind`
 * @param inUse keys of the claims of pods that run
 * @param named keys of the claims of all pods
 */
export function deviceClaimsOf(
  ofKind: (kind: string) => readonly JsonObject[],
  nodes: readonly ClusterNode[],
  inUse: ReadonlySet<string>,
  named: Iterable<string>,
): DeviceClaims {
  const byName: Nodes = new Map(nodes.map((node) => [node.name, node]));
  const classes = classSelectorsOf(ofKind(`${GROUP}/DeviceClass`));
  const slices = ofKind(`${GROUP}/ResourceSlice`).map((object) => sliceOf(object, byName));
  const reader = new ClaimReader(classes, slices.length > 0);
  const claims = new Map<string, ClaimFacts>();
  for (const object of ofKind(`${GROUP}/ResourceClaimTemplate`)) {
    const { name, namespace } = identityOf(object);
    const title = `ResourceClaimTemplate "${namespace}/${name}"`;
    claims.set(claimKey('template', namespace, name), {
      title,
      shared: false,
      ...reader.read(asObject(asObject(object.spec).spec), name, title),
    });
  }
  for (const object of ofKind(`${GROUP}/ResourceClaim`)) {
    const { name, namespace } = identityOf(object);
    const key = claimKey('claim', namespace, name);
    const title = `ResourceClaim "${namespace}/${name}"`;
    const allocation = asObject(object.status).allocation;
    claims.set(key, {
      title,
      shared: true,
      ...reader.read(asObject(object.spec), name, title),
      ...(allocation !== undefined &&
        allocation !== null && { allocation: allocationOf(asObject(allocation), byName, !inUse.has(key)) }),
    });
  }
  for (const key of named) {
    const extended = extendedRequests(key);
    if (extended !== undefined) {
      claims.set(key, extendedFacts(extended, reader));
    } else if (!claims.has(key)) {
      const kind = key.startsWith('template:') ? 'ResourceClaimTemplate' : 'ResourceClaim';
      const title = `${kind} "${key.slice(key.indexOf(':') + 1)}"`;
      claims.set(key, { title, shared: true, problem: `${title} does not exist` });
    }
  }
  return { slices, claims };
}

/** CEL expressions of each DeviceClass, by its name. */
export function classSelectorsOf(classes: Iterable<JsonObject>): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...classes].map((object) => [
      asString(asObject(object.metadata).name) ?? '',
      asArray(asObject(object.spec).selectors).map(expressionOf),
    ]),
  );
}

/** The claim that the cluster makes for extended resources. */
export function extendedFacts(requests: readonly ClassRequest[], reader: ClaimReader): ClaimFacts {
  return { title: EXTENDED_TITLE, shared: false, ...reader.read(claimSpec(requests), '', EXTENDED_TITLE) };
}

const EXTENDED_TITLE = "the pod's extended resources";

function claimSpec(requests: readonly ClassRequest[]): JsonObject {
  return {
    devices: {
      requests: requests.map(({ resource, deviceClass, count }) => ({
        name: resource,
        exactly: { deviceClassName: deviceClass, count },
      })),
    },
  };
}

function identityOf(object: JsonObject): { readonly name: string; readonly namespace: string } {
  const { name, namespace } = asObject(object.metadata);
  return { name: asString(name) ?? '', namespace: asString(namespace) ?? 'default' };
}

/** Empty for a selector of another kind, which no device satisfies. */
function expressionOf(selector: JsonValue): string {
  return asString(asObject(asObject(selector).cel).expression) ?? '';
}

/** What a claim holds, by its status. */
export function allocationOf(
  allocation: JsonObject,
  nodes: Nodes,
  retained: boolean,
): NonNullable<ClaimFacts['allocation']> {
  const devices = asArray(asObject(allocation.devices).results)
    .map(asObject)
    .map((result) => ({
      driver: asString(result.driver) ?? '',
      pool: asString(result.pool) ?? '',
      device: asString(result.device) ?? '',
      request: asString(result.request) ?? '',
      adminAccess: result.adminAccess === true,
      // A device without capacities is shared too; its claims consume nothing of it.
      ...((result.shareID !== undefined || result.consumedCapacity !== undefined) && {
        share: amountsOf(result.consumedCapacity),
      }),
    }));
  const { nodeSelector } = allocation;
  return {
    devices,
    retained,
    nodes: nodeSelector === undefined || nodeSelector === null ? () => true : selectedBy(asObject(nodeSelector), nodes),
  };
}

function amountsOf(amounts: unknown): ReadonlyMap<string, bigint> {
  return new Map(
    Object.entries(asObject(amounts as JsonObject)).flatMap(([name, amount]) => {
      const nanos = nanosOf(amount);
      return nanos === undefined ? [] : [[name, nanos] as const];
    }),
  );
}

/** Without one it is ExactCount. */
const MODES: ReadonlySet<string> = new Set(['', 'ExactCount', 'All']);

/** Selectors that are remembered: users write them, and there is no end to them. */
const MOST_SELECTORS = 2000;

/** Reads the specs of claims; each selector is compiled once. */
export class ClaimReader {
  private readonly compiled = new Map<string, DeviceSelector | string>();

  constructor(
    private readonly classes: ReadonlyMap<string, readonly string[]>,
    private readonly hasSlices: boolean,
  ) {}

  /** Without slices nothing is allocated, and the claim is only known to exist. */
  read(spec: JsonObject, name: string, title: string): Pick<ClaimFacts, 'claim' | 'problem'> {
    if (!this.hasSlices) {
      return { claim: { name, requests: [], constraints: [] } };
    }
    const problems: string[] = [];
    const devices = asObject(spec.devices);
    const requests = asArray(devices.requests)
      .map(asObject)
      .map((request) => {
        const first = asArray(request.firstAvailable).map(asObject);
        const flat: JsonObject = { ...request };
        delete (flat as Record<string, unknown>).name;
        const single = request.exactly === undefined ? flat : asObject(request.exactly);
        const alternatives = first.length > 0 ? first : [single];
        const requestName = asString(request.name) ?? '';
        return {
          name: requestName,
          alternatives: alternatives.map((one) =>
            this.alternative(one, (problem) => problems.push(`request "${requestName}" of ${title} ${problem}`)),
          ),
        };
      });
    const constraints = asArray(devices.constraints)
      .map(asObject)
      .flatMap((constraint, index): DeviceClaim['constraints'] => {
        const match = asString(constraint.matchAttribute);
        const attribute = match ?? asString(constraint.distinctAttribute);
        const names = asArray(constraint.requests).flatMap((one) => asString(one) ?? []);
        if (attribute === undefined) {
          problems.push(`constraint ${index} of ${title} has neither matchAttribute nor distinctAttribute`);
          return [];
        }
        return [{ kind: match === undefined ? 'distinct' : 'match', attribute, requests: names }];
      });
    const [problem] = problems;
    return { claim: { name, requests, constraints }, ...(problem !== undefined && { problem }) };
  }

  private alternative(object: JsonObject, report: (problem: string) => void): RequestAlternative {
    const className = asString(object.deviceClassName) ?? '';
    const ofClass = this.classes.get(className) ?? WITHOUT_OBJECT.get(className);
    if (ofClass === undefined) {
      report(`names the DeviceClass "${className}", which does not exist`);
    }
    const own = asArray(object.selectors).map(expressionOf);
    const selectors = [...(ofClass ?? []), ...own].flatMap((text): readonly DeviceSelector[] => {
      const selector = this.compiled.get(text) ?? selectorOf(text);
      if (this.compiled.size >= MOST_SELECTORS) {
        this.compiled.clear();
      }
      this.compiled.set(text, selector);
      if (typeof selector === 'string') {
        report(`has ${selector}`);
        return [];
      }
      return [selector];
    });
    const mode = asString(object.allocationMode) ?? '';
    if (!MODES.has(mode)) {
      report(`has the allocationMode "${mode}", which is neither ExactCount nor All`);
    }
    const name = asString(object.name);
    return {
      ...(name !== undefined && { name }),
      accepts: (driver, device) => selectors.every((selector) => selector.accepts(driver, device)),
      count: mode === 'All' ? 'all' : (asInteger(object.count) ?? 1),
      adminAccess: object.adminAccess === true,
      tolerations: asArray(object.tolerations)
        .map(asObject)
        .map(({ key, operator, value, effect }) => ({
          ...(typeof key === 'string' && { key }),
          ...(typeof operator === 'string' && { operator }),
          ...(typeof value === 'string' && { value }),
          ...(typeof effect === 'string' && { effect }),
        })),
      capacity: amountsOf(asObject(object.capacity).requests),
      whyNone: (devices) => whyNone(className, selectors, ofClass?.length ?? 0, devices),
    };
  }
}

/** Selectors of the classes that the DRA drivers of NVIDIA and AMD install, for clusters whose classes were not read. */
const WITHOUT_OBJECT: ReadonlyMap<string, readonly string[]> = new Map([
  ['gpu.nvidia.com', ['device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"']],
  ['mig.nvidia.com', ['device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "mig"']],
  ['gpu.amd.com', ['device.driver == "gpu.amd.com"']],
]);

/**
 * Devices by claim in a scenario: each pod of a role gets a claim of its own for each entry of `claims`, which is written as `spec.devices` of a
 * ResourceClaim.
 *
 * The entry itself is in the key of the claim in the pod's template, so that what is read first needs to know nothing of the cluster.
 */
import { type JsonObject, type JsonValue } from '../../facts/api/schema';
import { asObject, isObject } from '../../manifests/read';
import { addTo, type AmountsDraft } from '../../manifests/pods/resource-amounts';
import { type ClusterNode, type PodTemplate } from '../../placement';
import { type ClaimFacts, type DeviceClaims } from '../../placement/model/claims';
import { type Fields } from '../cluster/files/fields';
import { kindOf, nameOf } from '../cluster/lookups';
import { chargedDevices } from '../cluster/objects/claims/charges';
import { ClaimReader, classSelectorsOf } from '../cluster/objects/claims/read-claims';
import { sliceOf } from '../cluster/objects/claims/read-slices';

const DEVICES = 'devices:';

/** Keys of the claims of a role. */
export function readClaims(fields: Fields): readonly string[] {
  return fields.list('claims').map((entry) => {
    const devices: Record<string, JsonValue> = {};
    for (const key of ['requests', 'constraints'] as const) {
      const value = entry.raw(key);
      if (value === undefined && key === 'requests') {
        entry.wrongAt(key, 'is required; list requests as in spec.devices of a ResourceClaim');
      } else if (value !== undefined && !(Array.isArray(value) && value.length > 0 && value.every(isObject))) {
        entry.wrong(key, value, 'a list of maps, as in spec.devices of a ResourceClaim');
      } else if (value !== undefined) {
        devices[key] = value;
      }
    }
    entry.done();
    return `${DEVICES}${JSON.stringify(devices)}`;
  });
}

interface WithRoles {
  readonly gang: { readonly name: string; readonly roles: readonly { readonly template: PodTemplate }[] };
}

/** Whether a pod of one of the gangs has a claim. */
export function haveClaims(gangs: readonly WithRoles[]): boolean {
  return gangs.some(({ gang }) => gang.roles.some(({ template }) => template.claims !== undefined));
}

/**
 * What the claims mean on a cluster. Problems are reported, each once.
 *
 * @param objects DeviceClasses and ResourceSlices of the cluster
 */
export function deviceClaimsFor(
  gangs: readonly WithRoles[],
  objects: readonly JsonObject[],
  nodes: readonly ClusterNode[],
  fields: Fields,
): DeviceClaims {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const classes = objects.filter((object) => kindOf(object) === 'resource.k8s.io/DeviceClass');
  const slices = objects
    .filter((object) => kindOf(object) === 'resource.k8s.io/ResourceSlice')
    .map((object) => sliceOf(object, byName));
  if (slices.length === 0) {
    fields.wrongAt(
      'gangs',
      'have claims, but the cluster has no ResourceSlices; set draDriver: true in a pool of the cluster file',
    );
  }
  const reader = new ClaimReader(classSelectorsOf(classes), true);
  const claims = new Map<string, ClaimFacts>();
  const problems = new Set<string>();
  for (const { gang } of gangs) {
    for (const key of gang.roles.flatMap(({ template }) => template.claims ?? [])) {
      if (!claims.has(key)) {
        const read = reader.read({ devices: devicesIn(key) }, '', TITLE);
        claims.set(key, { title: TITLE, shared: false, ...read });
        if (read.problem !== undefined && !problems.has(read.problem)) {
          problems.add(read.problem);
          fields.wrongAt('gangs', `cannot have claims like those of "${gang.name}": ${read.problem}`);
        }
      }
    }
  }
  return { slices, claims };
}

const TITLE = "the pod's claim";

function devicesIn(key: string): JsonObject {
  return JSON.parse(key.slice(DEVICES.length)) as JsonObject;
}

/** The gangs with what their queues are charged for claims. Templates that are one value stay one. */
export function withCharges<T extends WithRoles>(gangs: readonly T[], objects: readonly JsonObject[]): readonly T[] {
  const classes = new Map(
    objects
      .filter((object) => kindOf(object) === 'resource.k8s.io/DeviceClass')
      .map((object) => [nameOf(object), asObject(object.spec)]),
  );
  const known = new Map<PodTemplate, PodTemplate>();
  const charged = (template: PodTemplate): PodTemplate => {
    if (template.claims === undefined) {
      return template;
    }
    let made = known.get(template);
    if (made === undefined) {
      const amounts: AmountsDraft = {};
      for (const key of template.claims) {
        addTo(
          amounts,
          chargedDevices({ devices: devicesIn(key) }, (name) => classes.get(name)),
        );
      }
      made = { ...template, ...(Object.keys(amounts).length > 0 && { charged: amounts }) };
      known.set(template, made);
    }
    return made;
  };
  return gangs.map((one) => ({
    ...one,
    gang: { ...one.gang, roles: one.gang.roles.map((role) => ({ ...role, template: charged(role.template) })) },
  }));
}

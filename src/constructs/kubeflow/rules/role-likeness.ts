/**
 * Roles whose pods do the same work should look the same: scheduler, network, data, devices, requests.
 *
 * Master and Worker of a PyTorchJob run one program; what only one of them has is nearly always forgotten on the other.
 */
import { type Rule } from '../../../checks/rules/rule';
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type Role, type TrainingJob } from '../training-job';
import { devicesOf } from './devices';
import { jobRule } from './job-rule';
import { allOf, counted, oneOf } from '../../../facts/words';

const SOURCE = 'pkg/controller.v1/common/pod.go, createNewPod: each role is made from its own template';
const LIKE_KINDS = ['PyTorchJob', 'XGBoostJob'] as const;

function alikeRoles(job: TrainingJob): readonly Role[] {
  return job.roles.filter((role) => job.framework.alikeRoles.includes(role.name));
}

/** Each role with the roles beside it. */
function* eachWithOthers(job: TrainingJob): Iterable<{ readonly role: Role; readonly others: readonly Role[] }> {
  const roles = alikeRoles(job);
  for (const role of roles) {
    yield { role, others: roles.filter((other) => other !== role) };
  }
}

const rolesShareScheduler = jobRule(
  {
    id: 'roles-share-scheduler',
    concerns: ['schedulerName'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    summary: 'All roles of a job must name the same scheduler.',
    why: 'Two schedulers do not wait for each other: one schedules its part of the gang while the other part does not fit.',
    source: SOURCE,
    fix: 'Set the same schedulerName in every role.',
  },
  function* (job) {
    const named = job.roles.filter((role) => (asString(role.podSpec.schedulerName) ?? '') !== '');
    const [first] = named;
    if (first === undefined) {
      return;
    }
    const scheduler = asString(first.podSpec.schedulerName) ?? '';
    for (const role of job.roles) {
      const own = asString(role.podSpec.schedulerName) ?? '';
      if (own === scheduler) {
        continue;
      }
      yield {
        path: own === '' ? role.podSpecPath : `${role.podSpecPath}/schedulerName`,
        message: `the role "${first.name}" uses the scheduler "${scheduler}", but the role "${role.name}" uses ${own === '' ? 'the default scheduler' : `"${own}"`}`,
        found: own === '' ? undefined : own,
        expected: scheduler,
        fix: `Set schedulerName: ${scheduler} in every role.`,
      };
    }
  },
);

const rolesShareNetwork = jobRule(
  {
    id: 'roles-share-network',
    concerns: ['hostNetwork'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'Master and Worker must both use the host network, or neither.',
    why: 'Pods in different network namespaces have different interfaces and devices: interface names match only on one side, and announced addresses may not be reachable from the other side.',
    source: SOURCE,
    fix: 'Set hostNetwork: true in both roles, with dnsPolicy: ClusterFirstWithHostNet, or in neither.',
  },
  function* (job) {
    for (const { role, others } of eachWithOthers(job)) {
      const host = others.find((other) => other.podSpec.hostNetwork === true);
      if (host === undefined || role.podSpec.hostNetwork === true) {
        continue;
      }
      yield {
        path: role.podSpecPath,
        message: `the role "${host.name}" uses the host network, but the role "${role.name}" does not`,
        expected: 'the same hostNetwork in every role',
      };
    }
  },
);

/** Mount paths of the training container that hold data from outside of the pod. */
function dataMounts(role: Role): ReadonlyMap<string, string> {
  const volumes = new Map(
    asArray(role.podSpec.volumes)
      .map(asObject)
      .map((volume) => [asString(volume.name), volume] as const),
  );
  return new Map(
    asArray(role.main?.value.volumeMounts)
      .map(asObject)
      .flatMap((mount) => {
        const path = asString(mount.mountPath);
        const name = asString(mount.name);
        const volume = name === undefined ? undefined : volumes.get(name);
        return path !== undefined && name !== undefined && volume !== undefined && holdsData(volume)
          ? [[path, name] as const]
          : [];
      }),
  );
}

const WITHOUT_DATA = ['name', 'emptyDir', 'configMap', 'secret', 'projected', 'downwardAPI'];

function holdsData(volume: JsonObject): boolean {
  return Object.keys(volume).some((key) => !WITHOUT_DATA.includes(key));
}

function mountPaths(role: Role): ReadonlySet<string> {
  return new Set(asArray(role.main?.value.volumeMounts).flatMap((mount) => asString(asObject(mount).mountPath) ?? []));
}

const rolesShareData = jobRule(
  {
    id: 'roles-share-data',
    concerns: ['volumeMounts'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'A data volume that Master or Worker mounts must be mounted by the other role as well.',
    why: 'Both run the same program; the role without the volume finds no data, or writes its checkpoint to a directory that is lost.',
    source: SOURCE,
    fix: 'Add the volume to the volumes of the role, and to the volumeMounts of its container.',
  },
  function* (job) {
    for (const { role, others } of eachWithOthers(job)) {
      if (role.main === undefined) {
        continue;
      }
      const own = mountPaths(role);
      for (const other of others) {
        for (const [path, name] of dataMounts(other)) {
          if (own.has(path)) {
            continue;
          }
          yield {
            path: role.main.path,
            message: `the role "${other.name}" mounts the volume "${name}" at ${path}, but the role "${role.name}" does not`,
            expected: `a volumeMount at ${path}`,
            fix: `Add the volume "${name}" to the volumes of the role "${role.name}", and mount it at ${path} in its container.`,
          };
        }
      }
    }
  },
);

const rolesHaveEqualDevices = jobRule(
  {
    id: 'roles-have-equal-devices',
    concerns: ['resources'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'Master and Worker must have the same number of devices.',
    why: 'The Master is the first training node: the number of processes per node applies to all nodes, and the slowest node sets the pace.',
    source: SOURCE,
    fix: 'Set the same number of devices in resources.limits in every role.',
  },
  function* (job) {
    const [first, ...rest] = alikeRoles(job).filter((role) => role.main !== undefined);
    if (first?.main === undefined) {
      return;
    }
    const devices = devicesOf(first.main.value);
    for (const role of rest) {
      const own = role.main && devicesOf(role.main.value);
      if (own === devices || role.main === undefined) {
        continue;
      }
      yield {
        path: role.main.value.resources === undefined ? role.main.path : `${role.main.path}/resources`,
        message: `each pod of the role "${first.name}" has ${counted(devices ?? 0, 'device')}, but each pod of the role "${role.name}" has ${own ?? 0}`,
        found: own ?? 0,
        expected: `${counted(devices ?? 0, 'device')}, as in the role "${first.name}"`,
      };
    }
  },
);

/** Resources that a container is sure to get: a limit replaces a request that is not made. */
function requested(role: Role): ReadonlySet<string> {
  const resources = asObject(role.main?.value.resources);
  return new Set([...Object.keys(asObject(resources.requests)), ...Object.keys(asObject(resources.limits))]);
}

const rolesRequestAlike = jobRule(
  {
    id: 'roles-request-alike',
    concerns: ['resources'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'CPU and memory that Master or Worker requests should be requested by the other role as well.',
    why: 'A pod without a request may be scheduled to a node with no CPU or memory left, and the slowest node sets the pace.',
    source: SOURCE,
    fix: 'Set the same resources.requests in every role.',
  },
  function* (job) {
    for (const { role, others } of eachWithOthers(job)) {
      if (role.main === undefined) {
        continue;
      }
      const own = requested(role);
      const missing = ['cpu', 'memory'].filter(
        (name) => !own.has(name) && others.some((other) => requested(other).has(name)),
      );
      if (missing.length === 0) {
        continue;
      }
      yield {
        path: role.main.value.resources === undefined ? role.main.path : `${role.main.path}/resources`,
        message: `the role "${role.name}" has no ${oneOf(missing.map((name) => (name === 'cpu' ? 'CPU' : name)))} requests, unlike ${allOf(others.map((other) => `"${other.name}"`))}`,
        expected: `requests for ${missing.join(' and ')}`,
        fix: `Add ${missing.join(' and ')} to resources.requests in the role "${role.name}".`,
      };
    }
  },
);

export const likenessRules: readonly Rule[] = [
  rolesShareScheduler,
  rolesShareNetwork,
  rolesShareData,
  rolesHaveEqualDevices,
  rolesRequestAlike,
];

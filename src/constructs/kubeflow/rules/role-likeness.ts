/**
 * Roles whose pods do the same work should look the same: scheduler, network, data, devices, requests.
 *
 * Master and Worker of a PyTorchJob run one program; what only one of them has is nearly always forgotten on the other.
 */
import { type Rule } from '../../../checks/rule';
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asObject, asString } from '../../../manifests/read';
import { type Role, type TrainingJob } from '../training-job';
import { devicesOf } from './devices';
import { counted, jobRule } from './job-rule';

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

export const rolesShareScheduler = jobRule(
  {
    id: 'roles-share-scheduler',
    concerns: ['schedulerName'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    summary: 'All roles of a job name the same scheduler.',
    why: 'Two schedulers do not wait for each other: one places its part of the gang while the other part has no room.',
    source: SOURCE,
    fix: 'State the same schedulerName on every role.',
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
        message: `Role ${first.name} is scheduled by ${scheduler}, role ${role.name} by ${own === '' ? 'the default scheduler' : own}.`,
        found: own === '' ? undefined : own,
        expected: scheduler,
      };
    }
  },
);

export const rolesShareNetwork = jobRule(
  {
    id: 'roles-share-network',
    concerns: ['hostNetwork'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'Master and Worker are both on the host network, or neither is.',
    why: 'Pods in different network namespaces see other interfaces and devices: interface names match on one side only, and addresses are announced that the other side cannot reach.',
    source: SOURCE,
    fix: 'State hostNetwork on both roles, with dnsPolicy ClusterFirstWithHostNet, or on neither.',
  },
  function* (job) {
    for (const { role, others } of eachWithOthers(job)) {
      const host = others.find((other) => other.podSpec.hostNetwork === true);
      if (host === undefined || role.podSpec.hostNetwork === true) {
        continue;
      }
      yield {
        path: role.podSpecPath,
        message: `Role ${host.name} is on the host network, role ${role.name} is not.`,
        expected: 'the same hostNetwork on every role',
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

export const rolesShareData = jobRule(
  {
    id: 'roles-share-data',
    concerns: ['volumeMounts'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'A data volume that one of Master and Worker mounts is mounted by the other as well.',
    why: 'Both run the same program; the role without the volume finds no data, or writes its checkpoint where it is lost.',
    source: SOURCE,
    fix: 'Add the volume and its mount to the role.',
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
            message: `Role ${other.name} mounts the volume "${name}" at ${path}, role ${role.name} mounts nothing there.`,
            expected: `a volumeMount at ${path}`,
          };
        }
      }
    }
  },
);

export const rolesHaveEqualDevices = jobRule(
  {
    id: 'roles-have-equal-devices',
    concerns: ['resources'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'Master and Worker have the same number of devices.',
    why: 'The Master is the first of the training nodes; one number of processes per node holds for all, and the slowest node sets the pace.',
    source: SOURCE,
    fix: 'Give every role the same devices.',
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
        message: `Role ${first.name} has ${counted(devices ?? 0, 'device')}, role ${role.name} has ${own ?? 0}.`,
        found: own ?? 0,
        expected: 'the same number',
      };
    }
  },
);

/** Resources that a container is sure to get: a limit stands for a request that is not made. */
function requested(role: Role): ReadonlySet<string> {
  const resources = asObject(role.main?.value.resources);
  return new Set([...Object.keys(asObject(resources.requests)), ...Object.keys(asObject(resources.limits))]);
}

export const rolesRequestAlike = jobRule(
  {
    id: 'roles-request-alike',
    concerns: ['resources'],
    row: 'KT12',
    tier: 'advice',
    severity: 'warning',
    kinds: LIKE_KINDS,
    summary: 'CPU and memory that one of Master and Worker requests are requested by the other as well.',
    why: 'A pod without a request is placed where there may be none of it left, and the slowest node sets the pace of all.',
    source: SOURCE,
    fix: 'State the same requests on every role.',
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
        message: `Role ${role.name} requests no ${missing.join(' and no ')}, unlike ${others.map((other) => other.name).join(', ')}.`,
        expected: `requests for ${missing.join(' and ')}`,
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

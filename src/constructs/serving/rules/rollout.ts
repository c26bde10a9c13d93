/**
 * Servers that load models: what keeps them from coming up, from being replaced, and from leaving their node.
 */
import { cite } from '../../../facts/upstream';
import { isAcceleratorResource } from '../../../facts/catalog';
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { kindKey } from '../../../manifests/identity';
import { kindAndName } from '../../../manifests/manifest';
import { asInteger, asObject, asString, isObject, objectsAt, stringsIn } from '../../../manifests/read';
import { startupBudget } from './probe-budget';
import { countOf, settledCount } from './replicas';
import { surgeFits } from './surge';

const DEPLOYMENT = 'apps/Deployment';
const LONG_RUNNING = [
  DEPLOYMENT,
  'apps/StatefulSet',
  'leaderworkerset.x-k8s.io/LeaderWorkerSet',
  'serving.knative.dev/Service',
];
/** What loads a model on a GPU is rarely ready sooner. */
const SOONEST_READY_SECONDS = 120;
const DEFAULT_DEADLINE_SECONDS = 600;
const DEFAULT_GRACE_SECONDS = 30;
const LEADER_WORKER_SET = 'leaderworkerset.x-k8s.io/LeaderWorkerSet';

function asksAccelerator(container: JsonObject): boolean {
  return Object.keys(asObject(asObject(container.resources).limits)).some((name) => isAcceleratorResource(name));
}

const livenessWaits: Rule = {
  id: 'serving/liveness-waits-for-model',
  row: 'SV1',
  tier: 'advice',
  severity: 'warning',
  on: 'pod-template',
  concerns: ['livenessProbe'],
  summary:
    'A server on accelerators with a liveness probe should also have a startup probe, or minutes before the liveness probe counts.',
  why: 'Until the model is loaded the server does not answer: the liveness probe kills it after seconds, again and again, and it never becomes ready.',
  source: 'kubernetes 1.36, pkg/kubelet/prober (liveness is asked from the start unless there is a startup probe)',
  fix: 'Add a startupProbe with failureThreshold × periodSeconds of about twice the time that the server needs to load the model.',
  check: function* ({ manifest, spec }) {
    if (!LONG_RUNNING.includes(kindKey(manifest.id))) {
      return;
    }
    for (const { value, path } of objectsAt(spec, '/containers')) {
      if (!isObject(value.livenessProbe) || isObject(value.startupProbe) || !asksAccelerator(value)) {
        continue;
      }
      const seconds = startupBudget(value.livenessProbe);
      if (seconds < SOONEST_READY_SECONDS) {
        yield {
          path: `/spec${path}/livenessProbe`,
          message: `without a startupProbe, the livenessProbe restarts a server that does not respond within ${seconds} s`,
          expected: 'a startupProbe',
        };
      }
    }
  },
};

const deadlineCoversStartup: Rule = {
  id: 'serving/deadline-covers-startup',
  row: 'SV2',
  tier: 'advice',
  severity: 'warning',
  on: 'object',
  kinds: [DEPLOYMENT],
  summary: 'progressDeadlineSeconds of a Deployment must be longer than its startup probe allows.',
  why: 'The rollout counts as failed (ProgressDeadlineExceeded) while the model still loads, and tools that wait for it give up or roll back.',
  source: 'kubernetes 1.36, pkg/controller/deployment/progress.go',
  fix: 'Set spec.progressDeadlineSeconds to more than the startup time plus the time to pull the image.',
  check: function* ({ object }) {
    const spec = asObject(object.spec);
    const limit = asInteger(spec.progressDeadlineSeconds) ?? DEFAULT_DEADLINE_SECONDS;
    for (const { value } of objectsAt(spec, '/template/spec/containers')) {
      const budget = isObject(value.startupProbe) ? startupBudget(value.startupProbe) : 0;
      if (budget > limit) {
        yield {
          path: spec.progressDeadlineSeconds === undefined ? '/spec' : '/spec/progressDeadlineSeconds',
          message: `progressDeadlineSeconds must be greater than the ${budget} s that the startup probe allows, but is ${limit}`,
          expected: `progressDeadlineSeconds: ${budget + DEFAULT_DEADLINE_SECONDS}`,
        };
      }
    }
  },
};

/** Seconds that a hook sleeps, where that is all it does. */
function sleepOf(hook: JsonObject): number | undefined {
  const command = stringsIn(asObject(hook.exec).command);
  const text = /^(\/bin\/|\/usr\/bin\/)?sleep$/.test(command[0] ?? '')
    ? (command[1] ?? '')
    : (/^\s*sleep\s+(\d+)s?\s*;?\s*$/.exec(command.at(-1) ?? '')?.[1] ?? '');
  return /^\d+s?$/.test(text) ? Number.parseInt(text, 10) : undefined;
}

const graceCoversHook: Rule = {
  id: 'serving/grace-covers-hook',
  row: 'SV3',
  tier: 'advice',
  severity: 'error',
  on: 'pod-template',
  sees: 'template',
  concerns: ['preStop'],
  summary: 'terminationGracePeriodSeconds must be longer than the sleep of a preStop hook.',
  why: 'The hook counts toward the grace period: the server is killed during the hook and never gets the SIGTERM on which it would finish its requests.',
  source: 'kubernetes 1.36, pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer',
  fix: 'Set terminationGracePeriodSeconds to the time of the preStop hook plus that of the longest request.',
  check: function* ({ spec }) {
    const grace = asInteger(spec.terminationGracePeriodSeconds) ?? DEFAULT_GRACE_SECONDS;
    for (const { value, path } of objectsAt(spec, '/containers')) {
      const hook = asObject(value.lifecycle).preStop;
      const seconds = isObject(hook) ? sleepOf(hook) : undefined;
      if (seconds !== undefined && seconds >= grace) {
        yield {
          path: `/spec${path}/lifecycle/preStop`,
          message: `terminationGracePeriodSeconds must be greater than the ${seconds} s of the preStop hook, but is ${grace}`,
          expected: `terminationGracePeriodSeconds: ${seconds + DEFAULT_GRACE_SECONDS}`,
        };
      }
    }
  },
};

const budgetLetsDrain: Rule = {
  id: 'serving/disruption-budget-lets-drain',
  row: 'SV4',
  tier: 'advice',
  severity: 'warning',
  on: 'object',
  kinds: ['policy/PodDisruptionBudget'],
  summary: 'A PodDisruptionBudget must allow at least one of its pods to be evicted.',
  why: 'Otherwise no pod can ever be evicted: a drain of the node waits forever, and so does every upgrade of the cluster.',
  source: 'kubernetes 1.36, pkg/controller/disruption/disruption.go (getExpectedPodCount)',
  fix: 'Set spec.maxUnavailable to 1, and remove minAvailable.',
  check: function* (manifest, { set }) {
    const { minAvailable, maxUnavailable } = asObject(manifest.object.spec);
    if (maxUnavailable !== undefined && maxUnavailable !== null) {
      if (maxUnavailable === 0 || maxUnavailable === '0%') {
        yield {
          path: '/spec/maxUnavailable',
          message: 'maxUnavailable is 0, so no pod can be evicted, and nodes cannot be drained',
          found: maxUnavailable,
          expected: '1',
        };
      }
      return;
    }
    if (minAvailable === '100%') {
      yield {
        path: '/spec/minAvailable',
        message: 'minAvailable is 100%, so no pod can be evicted, and nodes cannot be drained',
        found: minAvailable,
        expected: 'maxUnavailable: 1',
      };
      return;
    }
    const chosen = set.podsSelectedBy(manifest);
    const counts = chosen.map((template) => settledCount(template, set));
    if (chosen.length === 0 || counts.some((count) => count === undefined)) {
      return;
    }
    const pods = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const least = countOf(minAvailable, pods, Math.ceil);
    if (least !== undefined && pods > 0 && least >= pods) {
      yield {
        path: '/spec/minAvailable',
        message: `minAvailable requires ${pods === 1 ? 'the only pod' : `all ${pods} pods`}, so no pod can be evicted, and nodes cannot be drained`,
        found: minAvailable,
        expected: 'maxUnavailable: 1',
      };
    }
  },
};

const replicasLeft: Rule = {
  id: 'serving/replicas-left-to-autoscaler',
  row: 'SV6',
  tier: 'advice',
  severity: 'warning',
  on: 'set',
  summary: 'A workload that a HorizontalPodAutoscaler scales must not set replicas.',
  why: 'Each apply resets the replicas to the number in the manifest, regardless of the load; servers that load for minutes are terminated and started again.',
  source: 'kubernetes 1.36, documents (HorizontalPodAutoscaler, migrating Deployments)',
  fix: 'Remove spec.replicas, so that only the autoscaler sets it.',
  check: function* ({ set }) {
    for (const autoscaler of set.ofKind('autoscaling/HorizontalPodAutoscaler')) {
      const target = asObject(asObject(autoscaler.object.spec).scaleTargetRef);
      const kind = asString(target.kind) ?? '';
      const key =
        kind === 'Deployment' || kind === 'StatefulSet'
          ? `apps/${kind}`
          : kind === 'LeaderWorkerSet'
            ? LEADER_WORKER_SET
            : undefined;
      const workload =
        key === undefined ? undefined : set.get(key, asString(target.name) ?? '', autoscaler.id.namespace);
      const replicas = asObject(workload?.object.spec).replicas;
      if (workload !== undefined && replicas !== undefined && replicas !== null) {
        yield {
          manifest: workload,
          path: '/spec/replicas',
          message: `spec.replicas must not be set, because the ${kindAndName(autoscaler.id)} scales the workload`,
          found: replicas,
        };
      }
    }
  },
};

const ownService: Rule = {
  id: 'serving/leader-worker-set-keeps-its-service',
  row: 'SV7',
  tier: 'advice',
  severity: 'error',
  on: 'set',
  summary: 'A Service with an address must not have the name of a LeaderWorkerSet in its namespace.',
  why: 'The controller creates a headless Service of that name, through which workers find their leader, and does not change an existing one: LWS_LEADER_ADDRESS does not resolve.',
  source: `${cite('lws')}, pkg/utils/controller CreateHeadlessServiceIfNotExists`,
  fix: 'Set metadata.name of the Service to another name, for example <name>-leader.',
  check: function* ({ set }) {
    for (const { id, object } of set.ofKind(LEADER_WORKER_SET)) {
      const policy = asObject(asObject(object.spec).networkConfig).subdomainPolicy;
      const manifest = set.get('Service', id.name, id.namespace);
      if (
        manifest === undefined ||
        policy === 'UniquePerReplica' ||
        asObject(manifest.object.spec).clusterIP === 'None'
      ) {
        continue;
      }
      yield {
        manifest,
        path: '/metadata/name',
        message: `the LeaderWorkerSet "${id.name}" needs this name for the headless Service that it creates`,
        found: id.name,
        expected: `${id.name}-leader`,
        fix: `Set metadata.name of the Service to another name, such as ${id.name}-leader.`,
      };
    }
  },
};

export const rolloutRules: readonly Rule[] = [
  livenessWaits,
  deadlineCoversStartup,
  graceCoversHook,
  budgetLetsDrain,
  surgeFits,
  replicasLeft,
  ownService,
];

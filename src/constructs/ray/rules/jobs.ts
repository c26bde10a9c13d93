/**
 * RA9 to RA11: RayJob, RayService and RayCronJob.
 */
import { scheduleComplaint, timeZoneComplaint } from '../../../checks/server/workloads/schedule';
import { type Rule } from '../../../checks/rule';
import { pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, objectsAt } from '../../../manifests/read';
import { clusterOf } from '../ray-view';
import { rayJobRule, rayRule } from './ray-rule';

const SELECTOR_KEY = 'ray.io/cluster';
const MODES = ['K8sJobMode', 'HTTPMode', 'InteractiveMode', 'SidecarMode'];

const shutdown = rayJobRule(
  {
    id: 'ray/job-suspend-and-ttl-shut-down',
    row: 'RA9',
    summary:
      'A RayJob that is suspended, or has a ttlSecondsAfterFinished, shuts its cluster down when it ends; the TTL is not negative.',
    why: 'The controller refuses it: suspension deletes the cluster, and the time counts from its end.',
    fix: 'Write shutdownAfterJobFinishes: true.',
  },
  function* ({ spec, path, shutsDown }) {
    const ttl = asInteger(spec.ttlSecondsAfterFinished) ?? 0;
    if (ttl < 0) {
      yield {
        path: `${path}/ttlSecondsAfterFinished`,
        message: `ttlSecondsAfterFinished is ${ttl}.`,
        found: ttl,
        expected: 'at least 0',
      };
    }
    if (shutsDown) {
      return;
    }
    if (spec.suspend === true) {
      yield {
        path: `${path}/suspend`,
        message: 'The job is suspended, and shutdownAfterJobFinishes is not true.',
        found: true,
      };
    }
    if (ttl > 0) {
      yield {
        path: `${path}/ttlSecondsAfterFinished`,
        message: 'A TTL is stated, and shutdownAfterJobFinishes is not true.',
        found: ttl,
      };
    }
  },
);

const cluster = rayJobRule(
  {
    id: 'ray/job-has-cluster',
    row: 'RA9',
    summary:
      'A RayJob has a rayClusterSpec, or a clusterSelector with ray.io/cluster; a selected cluster is neither suspended, nor retried, nor used in SidecarMode.',
    why: 'The controller refuses a job without a cluster, and what would have to change a cluster that is not its own.',
    fix: 'State rayClusterSpec, or select a cluster and leave suspend, backoffLimit and SidecarMode out.',
  },
  function* ({ spec, path, selector, selectsCluster, mode, backoffLimit }) {
    if (!selectsCluster) {
      if (!isObject(spec.rayClusterSpec)) {
        yield { path, message: 'The job has no cluster.', expected: 'rayClusterSpec or clusterSelector' };
      }
      return;
    }
    if ((asString(selector[SELECTOR_KEY]) ?? '') === '') {
      yield {
        path: `${path}/clusterSelector`,
        message: `The selector does not name ${SELECTOR_KEY}.`,
        expected: `${SELECTOR_KEY}: <name>`,
      };
    }
    if (spec.suspend === true) {
      yield { path: `${path}/suspend`, message: 'A job on a selected cluster cannot be suspended.', found: true };
    }
    if (mode === 'SidecarMode') {
      yield {
        path: `${path}/submissionMode`,
        message: 'A job on a selected cluster has no head pod to be a sidecar of.',
        found: mode,
      };
    }
    if (backoffLimit > 0) {
      yield {
        path: `${path}/backoffLimit`,
        message: 'A job on a selected cluster is not retried.',
        found: backoffLimit,
        expected: '0',
      };
    }
  },
);

const mode = rayJobRule(
  {
    id: 'ray/job-submission-mode-fits',
    row: 'RA9',
    summary:
      'submissionMode is K8sJobMode, HTTPMode, InteractiveMode or SidecarMode; InteractiveMode is not retried; SidecarMode has no submitter and a head with restartPolicy Never.',
    why: 'The schema takes any string; an unknown mode never submits the job. The controller refuses the combinations.',
    fix: 'Use one of the four modes and leave out what does not go with it.',
  },
  function* ({ spec, path, mode: found, backoffLimit }) {
    if (!MODES.includes(found)) {
      yield {
        path: `${path}/submissionMode`,
        message: `"${found}" is no submissionMode.`,
        found,
        expected: MODES.join(', '),
      };
    }
    if (found === 'InteractiveMode' && backoffLimit > 0) {
      yield {
        path: `${path}/backoffLimit`,
        message: 'A job in InteractiveMode is not retried.',
        found: backoffLimit,
        expected: '0',
      };
    }
    if (found !== 'SidecarMode') {
      return;
    }
    for (const field of ['submitterPodTemplate', 'submitterConfig']) {
      if (isObject(spec[field])) {
        yield { path: `${path}/${field}`, message: `${field} has no effect in SidecarMode, and is refused.` };
      }
    }
    const at = '/rayClusterSpec/headGroupSpec/template/spec/restartPolicy';
    const policy =
      asString(asObject(asObject(asObject(asObject(spec.rayClusterSpec).headGroupSpec).template).spec).restartPolicy) ??
      '';
    if (policy !== '' && policy !== 'Never') {
      yield {
        path: `${path}${at}`,
        message: `The head has restartPolicy ${policy}.`,
        found: policy,
        expected: 'Never',
      };
    }
  },
);

const numbers = rayJobRule(
  {
    id: 'ray/job-limits-positive',
    row: 'RA9',
    summary: 'activeDeadlineSeconds and preRunningDeadlineSeconds of a RayJob are above 0, backoffLimit is not below.',
    why: 'The controller refuses the job.',
    fix: 'Correct the number, or leave it out.',
  },
  function* ({ spec, path, backoffLimit }) {
    for (const field of ['activeDeadlineSeconds', 'preRunningDeadlineSeconds']) {
      const value = asInteger(spec[field]);
      if (value !== undefined && value <= 0) {
        yield { path: `${path}/${field}`, message: `${field} is ${value}.`, found: value, expected: 'at least 1' };
      }
    }
    if (backoffLimit < 0) {
      yield {
        path: `${path}/backoffLimit`,
        message: `backoffLimit is ${backoffLimit}.`,
        found: backoffLimit,
        expected: 'at least 0',
      };
    }
  },
);

/** What is deleted first. */
const ORDER = ['DeleteWorkers', 'DeleteCluster', 'DeleteSelf'];

const deletion = rayJobRule(
  {
    id: 'ray/job-deletion-strategy-fits',
    row: 'RA9',
    summary:
      'Deletion rules exclude shutdownAfterJobFinishes, come once for each condition and policy, delete workers before the cluster and the cluster before the job, and leave alone a selected cluster and what the autoscaler makes.',
    why: 'The controller refuses the job. Deletion strategies need the gate RayJobDeletionPolicy, which is on by default.',
    fix: 'Correct the rules; take shutdownAfterJobFinishes out beside deletionRules.',
  },
  function* ({ spec, path, selectsCluster, shutsDown }) {
    const strategy = asObject(spec.deletionStrategy);
    const at = `${path}/deletionStrategy`;
    const rules = objectsAt(strategy, '/deletionRules');
    const autoscaling = asObject(spec.rayClusterSpec).enableInTreeAutoscaling === true;
    const policies = [
      ...rules.map(({ value, path: own }) => ({ policy: asString(value.policy) ?? '', path: `${at}${own}/policy` })),
      ...['onSuccess', 'onFailure'].map((field) => ({
        policy: asString(asObject(strategy[field]).policy) ?? '',
        path: `${at}/${field}/policy`,
      })),
    ];
    for (const { policy, path: place } of policies) {
      if (selectsCluster && (policy === 'DeleteCluster' || policy === 'DeleteWorkers')) {
        yield { path: place, message: `${policy} would change a cluster that is only selected.`, found: policy };
      } else if (autoscaling && policy === 'DeleteWorkers') {
        yield { path: place, message: 'DeleteWorkers does not go with the autoscaler.', found: policy };
      }
      if (shutsDown && rules.length === 0 && policy === 'DeleteNone') {
        yield { path: place, message: 'DeleteNone contradicts shutdownAfterJobFinishes.', found: policy };
      }
    }
    if (rules.length > 0 && shutsDown) {
      yield {
        path: `${at}/deletionRules`,
        message: 'deletionRules stand beside shutdownAfterJobFinishes.',
        expected: 'one of them',
      };
    }
    const times = new Map<string, number>();
    for (const { value, path: own } of rules) {
      const condition = asObject(value.condition);
      const when = `${asString(condition.jobStatus) ?? ''}/${asString(condition.jobDeploymentStatus) ?? ''}`;
      const policy = asString(value.policy) ?? '';
      const ttl = asInteger(condition.ttlSeconds) ?? 0;
      if (times.has(`${when} ${policy}`)) {
        yield { path: `${at}${own}`, message: `A second rule says ${policy} for the same condition.`, found: policy };
      }
      const earlier = ORDER.slice(0, Math.max(0, ORDER.indexOf(policy))).find(
        (other) => (times.get(`${when} ${other}`) ?? -1) > ttl,
      );
      const later =
        ORDER.indexOf(policy) < 0
          ? undefined
          : ORDER.slice(ORDER.indexOf(policy) + 1).find((other) => (times.get(`${when} ${other}`) ?? Infinity) < ttl);
      const conflict = earlier ?? later;
      if (conflict !== undefined) {
        yield {
          path: `${at}${own}/condition`,
          message: `${policy} after ${ttl} s does not go with ${conflict} after ${times.get(`${when} ${conflict}`) ?? 0} s.`,
          found: ttl,
        };
      }
      times.set(`${when} ${policy}`, ttl);
    }
  },
);

const headService = rayRule(
  ['ray.io/RayService'],
  {
    id: 'ray/service-head-service-unnamed',
    row: 'RA10',
    summary: 'The head service of a RayService has no name of its own.',
    why: 'Each new cluster of the service needs another name; the controller refuses a fixed one.',
    fix: 'Take headService.metadata.name out.',
  },
  function* (manifest) {
    const view = clusterOf(manifest);
    const name = asString(asObject(asObject(view?.head.value.headService).metadata).name) ?? '';
    if (name !== '') {
      yield {
        path: `${view?.head.path ?? ''}/headService/metadata/name`,
        message: `The head service is called "${name}".`,
        found: name,
      };
    }
  },
);

const UPGRADES = ['NewCluster', 'NewClusterWithIncrementalUpgrade', 'None'];

const upgrade = rayRule(
  ['ray.io/RayService'],
  {
    id: 'ray/service-upgrade-fits',
    row: 'RA10',
    summary:
      'upgradeStrategy.type is NewCluster, NewClusterWithIncrementalUpgrade or None; the incremental one has the autoscaler, a gatewayClassName, percentages of 0 to 100 with steps no larger than the surge, and an interval above 0.',
    why: 'The controller refuses the service. The incremental upgrade also needs a feature gate.',
    fix: 'Correct the type or its options.',
  },
  function* (manifest) {
    const strategy = asObject(asObject(manifest.object.spec).upgradeStrategy);
    const type = asString(strategy.type);
    const path = '/spec/upgradeStrategy';
    if (type !== undefined && !UPGRADES.includes(type)) {
      yield {
        path: `${path}/type`,
        message: `"${type}" is no type of upgrade.`,
        found: type,
        expected: UPGRADES.join(', '),
      };
    }
    if (type !== 'NewClusterWithIncrementalUpgrade') {
      return;
    }
    if (clusterOf(manifest)?.autoscaling !== true) {
      yield {
        path: `${path}/type`,
        message: 'An incremental upgrade needs the autoscaler.',
        found: type,
        expected: 'enableInTreeAutoscaling: true',
      };
    }
    const options = strategy.clusterUpgradeOptions;
    if (!isObject(options)) {
      yield { path, message: 'An incremental upgrade needs clusterUpgradeOptions.' };
      return;
    }
    const at = `${path}/clusterUpgradeOptions`;
    const surge = asInteger(options.maxSurgePercent) ?? 100;
    const step = asInteger(options.stepSizePercent);
    const interval = asInteger(options.intervalSeconds);
    if (surge < 0 || surge > 100) {
      yield {
        path: `${at}/maxSurgePercent`,
        message: `maxSurgePercent is ${surge}.`,
        found: surge,
        expected: '0 to 100',
      };
    }
    if (step !== undefined && (step < 0 || step > Math.min(100, Math.max(0, surge)))) {
      yield {
        path: `${at}/stepSizePercent`,
        message: `stepSizePercent is ${step}.`,
        found: step,
        expected: `0 to ${Math.min(100, Math.max(0, surge))}`,
      };
    }
    if (interval !== undefined && interval <= 0) {
      yield {
        path: `${at}/intervalSeconds`,
        message: `intervalSeconds is ${interval}.`,
        found: interval,
        expected: 'above 0',
      };
    }
    if (options.gatewayClassName === '') {
      yield { path: `${at}/gatewayClassName`, message: 'gatewayClassName is empty.', found: '' };
    }
  },
);

const TIMEOUT = 'ray.io/initializing-timeout';
const GO_DURATION =
  /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;

const timeout = rayRule(
  ['ray.io/RayService'],
  {
    id: 'ray/service-initializing-timeout-valid',
    row: 'RA10',
    summary: `The annotation ${TIMEOUT} is a duration such as 30m, or a number of seconds, above 0.`,
    why: 'The controller refuses the service.',
    fix: 'Write for example 30m.',
  },
  function* (manifest) {
    const text = asString(asObject(asObject(manifest.object.metadata).annotations)[TIMEOUT]) ?? '';
    if (text === '' || ((GO_DURATION.test(text) || /^\+?\d+$/.test(text)) && /[1-9]/.test(text))) {
      return;
    }
    yield {
      path: pointer('/metadata/annotations', TIMEOUT),
      message: `"${text}" is no time above 0.`,
      found: text,
      expected: '30m, or seconds',
    };
  },
);

const schedule = rayRule(
  ['ray.io/RayCronJob'],
  {
    id: 'ray/cron-schedule-valid',
    row: 'RA11',
    summary: 'schedule of a RayCronJob is a cron line without a time zone, timeZone one that there is.',
    why: 'The controller refuses the object. RayCronJob also needs a feature gate.',
    fix: 'Write five fields, and the zone into timeZone.',
  },
  function* (manifest) {
    const spec = asObject(manifest.object.spec);
    const line = asString(spec.schedule);
    const zone = asString(spec.timeZone);
    if (line !== undefined) {
      const complaint = scheduleComplaint(line);
      if (complaint !== undefined) {
        yield { path: '/spec/schedule', message: `The schedule "${line}" must ${complaint}.`, found: line };
      }
    }
    const wrong = zone === undefined ? undefined : timeZoneComplaint(zone);
    if (wrong !== undefined) {
      yield { path: '/spec/timeZone', message: `The time zone "${zone ?? ''}" must ${wrong}.`, found: zone };
    }
  },
);

export const jobRules: readonly Rule[] = [
  shutdown,
  cluster,
  mode,
  numbers,
  deletion,
  headService,
  upgrade,
  timeout,
  schedule,
];

/**
 * RA9 to RA11: RayJob, RayService and RayCronJob.
 */
import { oneOf } from '../../../facts/words';
import { fixesByField } from '../../../checks/rules/field-fix';
import { scheduleComplaint, timeZoneComplaint } from '../../../checks/server/workloads/schedule';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { fieldOf, pointer } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject, isUnset, objectsAt } from '../../../manifests/read';
import { clusterOf } from '../ray-view';
import { rayJobRule, rayRule } from './ray-rule';

const SELECTOR_KEY = 'ray.io/cluster';
const MODES = ['K8sJobMode', 'HTTPMode', 'InteractiveMode', 'SidecarMode'];

const shutdown = rayJobRule(
  {
    id: 'ray/job-suspend-and-ttl-shut-down',
    row: 'RA9',
    summary:
      'A RayJob with suspend or ttlSecondsAfterFinished must set shutdownAfterJobFinishes, and the TTL must not be negative.',
    why: 'The controller rejects the job: suspension deletes the cluster, and the TTL starts when the cluster shuts down.',
    fix: 'Set shutdownAfterJobFinishes: true.',
  },
  function* ({ spec, path, shutsDown }) {
    const ttl = asInteger(spec.ttlSecondsAfterFinished) ?? 0;
    if (ttl < 0) {
      yield {
        path: `${path}/ttlSecondsAfterFinished`,
        message: `ttlSecondsAfterFinished must be greater than or equal to 0, but is ${ttl}`,
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
        message: 'suspend requires shutdownAfterJobFinishes: true',
        found: true,
      };
    }
    if (ttl > 0) {
      yield {
        path: `${path}/ttlSecondsAfterFinished`,
        message: 'ttlSecondsAfterFinished requires shutdownAfterJobFinishes: true',
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
      'A RayJob must have a rayClusterSpec or a clusterSelector with ray.io/cluster; a job with a clusterSelector must not be suspended, retried, or in SidecarMode.',
    why: 'The controller rejects a job without a cluster, and a job that would have to change a cluster that is not its own.',
    fix: 'Set rayClusterSpec, or set clusterSelector and remove suspend, backoffLimit, and SidecarMode.',
  },
  function* ({ spec, path, selector, selectsCluster, mode, backoffLimit }) {
    if (!selectsCluster) {
      if (spec.rayClusterSpec === undefined || spec.rayClusterSpec === null) {
        yield {
          path,
          message: 'rayClusterSpec or clusterSelector must be set',
          expected: 'rayClusterSpec or clusterSelector',
        };
      }
      return;
    }
    if (isUnset(selector[SELECTOR_KEY])) {
      yield {
        path: `${path}/clusterSelector`,
        message: `clusterSelector must contain ${SELECTOR_KEY}`,
        expected: `${SELECTOR_KEY}: <name>`,
        fix: `Set ${SELECTOR_KEY} in clusterSelector to the name of a RayCluster.`,
      };
    }
    if (spec.suspend === true) {
      yield { path: `${path}/suspend`, message: 'suspend must not be set when clusterSelector is set', found: true };
    }
    if (mode === 'SidecarMode') {
      yield {
        path: `${path}/submissionMode`,
        message: 'submissionMode must not be SidecarMode when clusterSelector is set',
        fix: 'Set submissionMode to a mode other than SidecarMode, or remove clusterSelector.',
        found: mode,
      };
    }
    if (backoffLimit > 0) {
      yield {
        path: `${path}/backoffLimit`,
        message: 'backoffLimit must not be set when clusterSelector is set',
        found: backoffLimit,
        expected: '0',
      };
    }
  },
);

const mode = fixesByField(
  rayJobRule(
    {
      id: 'ray/job-submission-mode-fits',
      row: 'RA9',
      summary:
        'submissionMode must be K8sJobMode, HTTPMode, InteractiveMode, or SidecarMode; InteractiveMode excludes retries, and SidecarMode requires no submitter and a head with restartPolicy Never.',
      why: 'The schema accepts any string; a job with an unknown mode is never submitted. The controller rejects invalid combinations.',
      fix: 'Set submissionMode to one of the four modes, and remove the fields that it excludes.',
    },
    function* ({ spec, path, mode: found, backoffLimit }) {
      if (!MODES.includes(found)) {
        yield {
          path: `${path}/submissionMode`,
          message: `unsupported submissionMode "${found}"`,
          found,
          expected: oneOf(MODES),
        };
      }
      if (found === 'InteractiveMode' && backoffLimit > 0) {
        yield {
          path: `${path}/backoffLimit`,
          message: 'backoffLimit must be 0 when submissionMode is InteractiveMode',
          found: backoffLimit,
          expected: '0',
        };
      }
      if (found !== 'SidecarMode') {
        return;
      }
      for (const field of ['submitterPodTemplate', 'submitterConfig']) {
        if (isObject(spec[field])) {
          yield { path: `${path}/${field}`, message: `${field} must not be set when submissionMode is SidecarMode` };
        }
      }
      const at = '/rayClusterSpec/headGroupSpec/template/spec/restartPolicy';
      const policy =
        asString(
          asObject(asObject(asObject(asObject(spec.rayClusterSpec).headGroupSpec).template).spec).restartPolicy,
        ) ?? '';
      if (policy !== '' && policy !== 'Never') {
        yield {
          path: `${path}${at}`,
          message: `restartPolicy in the head group must be Never, but is ${JSON.stringify(policy)}`,
          found: policy,
          expected: 'Never',
        };
      }
    },
  ),
);

const numbers = rayJobRule(
  {
    id: 'ray/job-limits-positive',
    row: 'RA9',
    summary:
      'activeDeadlineSeconds and preRunningDeadlineSeconds of a RayJob must be greater than 0, and backoffLimit must be at least 0.',
    why: 'The controller rejects the job.',
    fix: 'Set activeDeadlineSeconds and preRunningDeadlineSeconds to at least 1 and backoffLimit to at least 0, or leave them unset.',
  },
  function* ({ spec, path, backoffLimit }) {
    for (const field of ['activeDeadlineSeconds', 'preRunningDeadlineSeconds']) {
      const value = asInteger(spec[field]);
      if (value !== undefined && value <= 0) {
        yield {
          path: `${path}/${field}`,
          message: `${field} must be greater than or equal to 1, but is ${value}`,
          found: value,
          expected: 'at least 1',
        };
      }
    }
    if (backoffLimit < 0) {
      yield {
        path: `${path}/backoffLimit`,
        message: `backoffLimit must be greater than or equal to 0, but is ${backoffLimit}`,
        found: backoffLimit,
        expected: 'at least 0',
      };
    }
  },
);

/** What is deleted first. */
const ORDER = ['DeleteWorkers', 'DeleteCluster', 'DeleteSelf'];

/** Rules that are stated twice, and rules that would delete something before what has to be deleted first. */
function* orderProblems(rules: ReturnType<typeof objectsAt>, at: string): Iterable<Violation> {
  const times = new Map<string, number>();
  for (const { value, path: own } of rules) {
    const condition = asObject(value.condition);
    const when = `${asString(condition.jobStatus) ?? ''}/${asString(condition.jobDeploymentStatus) ?? ''}`;
    const policy = asString(value.policy) ?? '';
    const ttl = asInteger(condition.ttlSeconds) ?? 0;
    if (times.has(`${when} ${policy}`)) {
      yield {
        path: `${at}${own}`,
        message: `duplicate deletion rule "${policy}" for the same condition`,
        found: policy,
        fix: `Remove ${fieldOf(`${at}${own}`)}, or set another policy or condition in this rule.`,
      };
    }
    const earlier = ORDER.slice(0, Math.max(0, ORDER.indexOf(policy))).find(
      (other) => (times.get(`${when} ${other}`) ?? -Infinity) > ttl,
    );
    const later =
      ORDER.indexOf(policy) < 0
        ? undefined
        : ORDER.slice(ORDER.indexOf(policy) + 1).find((other) => (times.get(`${when} ${other}`) ?? Infinity) < ttl);
    const conflict = earlier ?? later;
    if (conflict !== undefined) {
      yield {
        path: `${at}${own}/condition`,
        message: `${policy} after ${ttl} s contradicts ${conflict} after ${times.get(`${when} ${conflict}`) ?? 0} s: the policy that deletes less must come first`,
        fix: `Set ttlSeconds so that ${ORDER.indexOf(policy) < ORDER.indexOf(conflict) ? `${policy} comes before ${conflict}` : `${conflict} comes before ${policy}`}.`,
        found: ttl,
      };
    }
    times.set(`${when} ${policy}`, ttl);
  }
}

const deletion = rayJobRule(
  {
    id: 'ray/job-deletion-strategy-fits',
    row: 'RA9',
    summary:
      'Deletion rules must be unique, must run in the order workers, cluster, job, and must not be combined with shutdownAfterJobFinishes, a selected cluster, or, for workers, the autoscaler.',
    why: 'The controller rejects the job. Deletion strategies need the gate RayJobDeletionPolicy, which is on by default.',
    fix: 'Set a policy and a condition in each entry of deletionStrategy.deletionRules, and remove shutdownAfterJobFinishes.',
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
        yield {
          path: place,
          message: `policy must not be ${policy} when clusterSelector is set`,
          found: policy,
          fix: `Set ${fieldOf(place)} to DeleteSelf or DeleteNone, or remove clusterSelector.`,
        };
      } else if (autoscaling && policy === 'DeleteWorkers') {
        yield {
          path: place,
          message: 'policy must not be DeleteWorkers when enableInTreeAutoscaling is true',
          found: policy,
          fix: `Set ${fieldOf(place)} to another policy, or set enableInTreeAutoscaling: false.`,
        };
      }
      if (shutsDown && rules.length === 0 && policy === 'DeleteNone') {
        yield {
          path: place,
          message: 'policy must not be DeleteNone when shutdownAfterJobFinishes is true',
          fix: 'Remove shutdownAfterJobFinishes, or set policy to DeleteCluster or DeleteSelf.',
          found: policy,
        };
      }
    }
    for (const field of rules.length === 0 ? ['onSuccess', 'onFailure'] : []) {
      if (isObject(strategy[field]) && asString(asObject(strategy[field]).policy) === undefined) {
        const choices = oneOf(
          ['DeleteCluster', 'DeleteWorkers', 'DeleteSelf', 'DeleteNone'].filter(
            (policy) =>
              !(selectsCluster && /^Delete(?:Cluster|Workers)$/.test(policy)) &&
              !(autoscaling && policy === 'DeleteWorkers') &&
              !(shutsDown && policy === 'DeleteNone'),
          ),
        );
        yield {
          path: `${at}/${field}`,
          message: `policy must be set in ${field}`,
          fix: `Set deletionStrategy.${field}.policy to ${choices}.`,
        };
      }
    }
    if (rules.length > 0 && shutsDown) {
      yield {
        path: `${at}/deletionRules`,
        message: 'deletionRules must not be set when shutdownAfterJobFinishes is set',
        expected: 'only one of these fields',
      };
    }
    yield* orderProblems(rules, at);
  },
);

const headService = rayRule(
  ['ray.io/RayService'],
  {
    id: 'ray/service-head-service-unnamed',
    row: 'RA10',
    summary: 'The head service of a RayService must not set its own name.',
    why: 'Each new cluster of the service needs another name; the controller rejects a fixed one.',
    fix: 'Remove headService.metadata.name.',
  },
  function* (manifest) {
    const view = clusterOf(manifest);
    const name = asString(asObject(asObject(view?.head.value.headService).metadata).name) ?? '';
    if (name !== '') {
      yield {
        path: `${view?.head.path ?? ''}/headService/metadata/name`,
        message: `headService.metadata.name must not be set`,
        found: name,
      };
    }
  },
);

/** What the step takes under a surge, which itself has to be a percentage. */
function stepWords(field: string, surge: number): Pick<Violation, 'expected' | 'fix'> {
  const most = Math.min(100, Math.max(0, surge));
  const words = most === 0 ? '0' : `a number from 0 to ${most}`;
  return {
    expected: most === 0 ? '0' : `0 to ${most}`,
    fix:
      most === surge
        ? `Set ${field} to ${words}${most === 0 ? ', or increase maxSurgePercent' : ''}.`
        : `Set maxSurgePercent to a number from 0 to 100, and ${field} to at most that number.`,
  };
}

const UPGRADES = ['NewCluster', 'NewClusterWithIncrementalUpgrade', 'None'];

const upgrade = fixesByField(
  rayRule(
    ['ray.io/RayService'],
    {
      id: 'ray/service-upgrade-fits',
      row: 'RA10',
      summary:
        'upgradeStrategy.type must be NewCluster, NewClusterWithIncrementalUpgrade, or None; an incremental upgrade requires the autoscaler and valid clusterUpgradeOptions.',
      why: 'The controller rejects the service. The incremental upgrade also requires the feature gate RayServiceIncrementalUpgrade, which is on by default from KubeRay 1.7 on.',
      fix: 'Set upgradeStrategy.type to a supported value, and set clusterUpgradeOptions for NewClusterWithIncrementalUpgrade.',
    },
    function* (manifest) {
      const strategy = asObject(asObject(manifest.object.spec).upgradeStrategy);
      const type = asString(strategy.type);
      const path = '/spec/upgradeStrategy';
      if (type !== undefined && !UPGRADES.includes(type)) {
        yield {
          path: `${path}/type`,
          message: `unsupported upgrade type "${type}"`,
          found: type,
          expected: oneOf(UPGRADES),
        };
      }
      if (type !== 'NewClusterWithIncrementalUpgrade') {
        return;
      }
      if (clusterOf(manifest)?.autoscaling !== true) {
        yield {
          path: `${path}/type`,
          message: 'NewClusterWithIncrementalUpgrade requires enableInTreeAutoscaling: true',
          fix: 'Set enableInTreeAutoscaling: true in rayClusterConfig, or upgradeStrategy.type to NewCluster.',
          found: type,
          expected: 'enableInTreeAutoscaling: true',
        };
      }
      const options = strategy.clusterUpgradeOptions;
      if (!isObject(options)) {
        yield {
          path,
          message: 'clusterUpgradeOptions must be set when type is NewClusterWithIncrementalUpgrade',
          fix: 'Set clusterUpgradeOptions.gatewayClassName, maxSurgePercent, stepSizePercent, and intervalSeconds in upgradeStrategy.',
        };
        return;
      }
      const at = `${path}/clusterUpgradeOptions`;
      const surge = asInteger(options.maxSurgePercent) ?? 100;
      const step = asInteger(options.stepSizePercent);
      const interval = asInteger(options.intervalSeconds);
      if (surge < 0 || surge > 100) {
        yield {
          path: `${at}/maxSurgePercent`,
          message: `maxSurgePercent must be between 0 and 100, but is ${surge}`,
          found: surge,
          expected: '0 to 100',
        };
      }
      if (step !== undefined && (step < 0 || step > Math.min(100, Math.max(0, surge)))) {
        yield {
          path: `${at}/stepSizePercent`,
          message:
            step < 0
              ? `stepSizePercent must be greater than or equal to 0, but is ${step}`
              : step > 100
                ? `stepSizePercent must be less than or equal to 100, but is ${step}`
                : `stepSizePercent must be less than or equal to maxSurgePercent (${step} > ${surge})`,
          found: step,
          ...stepWords(fieldOf(`${at}/stepSizePercent`), surge),
        };
      }
      if (interval !== undefined && interval <= 0) {
        yield {
          path: `${at}/intervalSeconds`,
          message: `intervalSeconds must be greater than 0, but is ${interval}`,
          found: interval,
          expected: 'greater than 0',
        };
      }
      if (options.gatewayClassName === '') {
        yield { path: `${at}/gatewayClassName`, message: 'gatewayClassName must not be empty', found: '' };
      }
    },
  ),
);

const TIMEOUT = 'ray.io/initializing-timeout';
const GO_DURATION =
  /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;

const timeout = rayRule(
  ['ray.io/RayService'],
  {
    id: 'ray/service-initializing-timeout-valid',
    row: 'RA10',
    summary: `The annotation ${TIMEOUT} must be a duration such as 30m, or a number of seconds, greater than 0.`,
    why: 'The controller rejects the service.',
    fix: `Set annotations["${TIMEOUT}"] to a duration, for example 30m.`,
  },
  function* (manifest) {
    const text = asString(asObject(asObject(manifest.object.metadata).annotations)[TIMEOUT]) ?? '';
    if (text === '' || ((GO_DURATION.test(text) || /^\+?\d+$/.test(text)) && /[1-9]/.test(text))) {
      return;
    }
    yield {
      path: pointer('/metadata/annotations', TIMEOUT),
      message: `"${text}" is not a valid duration greater than 0`,
      found: text,
      expected: 'a duration such as 30m, or a number of seconds',
    };
  },
);

const schedule = rayRule(
  ['ray.io/RayCronJob'],
  {
    id: 'ray/cron-schedule-valid',
    row: 'RA11',
    summary:
      'schedule of a RayCronJob must be a cron expression without a time zone, and timeZone must be a known time zone.',
    why: 'The controller rejects the object. RayCronJob also requires the feature gate RayCronJob, which is off by default.',
    fix: 'Set schedule to five cron fields, and set the time zone in timeZone.',
  },
  function* (manifest) {
    const spec = asObject(manifest.object.spec);
    const line = asString(spec.schedule);
    const zone = asString(spec.timeZone);
    if (line !== undefined) {
      const complaint = scheduleComplaint(line);
      if (complaint !== undefined) {
        yield { path: '/spec/schedule', message: `the schedule "${line}" must ${complaint}`, found: line };
      }
    }
    const wrong = zone === undefined ? undefined : timeZoneComplaint(zone);
    if (wrong !== undefined) {
      yield { path: '/spec/timeZone', message: `the time zone "${zone ?? ''}" must ${wrong}`, found: zone };
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

/**
 * RA5 and RA6: fault tolerance of the global control store, and the autoscaler.
 */
import { type Rule } from '../../../checks/rules/rule';
import { pointer, fieldOf } from '../../../manifests/pointer';
import { asInteger, asObject, asString, isObject } from '../../../manifests/read';
import { groupsOf, isBefore, variableOf } from '../ray-view';
import { clusterRule, groupAt } from './ray-rule';

const FT_ANNOTATION = 'ray.io/ft-enabled';
const STORAGE_ANNOTATION = 'ray.io/external-storage-namespace';
const V2_VARIABLE = 'RAY_enable_autoscaler_v2';

const faultTolerance = clusterRule(
  {
    id: 'ray/gcs-fault-tolerance-stated-once',
    row: 'RA5',
    summary:
      'Fault tolerance of the control store must be set only in gcsFaultToleranceOptions, without annotations, environment variables, or start parameters for Redis.',
    why: 'The controller derives them from the options, and rejects the cluster if they are set in addition, or if an environment variable enables the feature without the options.',
    fix: 'Move address, user, password, and namespace to gcsFaultToleranceOptions.',
  },
  function* (cluster) {
    const { annotations, head, spec } = cluster;
    const options = isObject(spec.gcsFaultToleranceOptions);
    const annotation = asString(annotations[FT_ANNOTATION]) ?? '';
    const stated: { readonly path: string; readonly what: string; readonly when: boolean }[] = [
      {
        path: pointer('/metadata/annotations', FT_ANNOTATION),
        what: `the annotation ${FT_ANNOTATION}`,
        when: options && annotation !== '',
      },
      {
        path: pointer('/metadata/annotations', STORAGE_ANNOTATION),
        what: `the annotation ${STORAGE_ANNOTATION}`,
        when: options && (asString(annotations[STORAGE_ANNOTATION]) ?? '') !== '',
      },
      {
        path: `${head.path}/rayStartParams/redis-password`,
        what: 'redis-password',
        when: options && (asString(head.startParams['redis-password']) ?? '') !== '',
      },
      {
        path: `${head.path}/rayStartParams/redis-username`,
        what: 'redis-username',
        when: (asString(head.startParams['redis-username']) ?? '') !== '',
      },
    ];
    const address = options || annotation.toLowerCase() !== 'true';
    for (const [name, when] of [
      ['REDIS_PASSWORD', options],
      ['RAY_REDIS_ADDRESS', address],
      ['REDIS_USERNAME', true],
    ] as const) {
      const variable = variableOf(head, name);
      stated.push({
        path: variable?.path ?? head.path,
        what: `the environment variable ${name}`,
        when: when && variable !== undefined,
      });
    }
    for (const { path: at, what, when } of stated) {
      if (when) {
        yield {
          path: at,
          message: `${what} must be replaced with a field of gcsFaultToleranceOptions`,
          expected: 'a field of gcsFaultToleranceOptions',
          fix: `Remove ${fieldOf(at)}, and set the corresponding field in gcsFaultToleranceOptions.`,
        };
      }
    }
  },
);

const storage = clusterRule(
  {
    id: 'ray/gcs-storage-fits-backend',
    row: 'RA5',
    summary:
      'The backend rocksdb must not have Redis fields, and storage must either name an existing claim or describe a new one.',
    why: 'The controller rejects the cluster. The backend rocksdb also requires the feature gate GCSFaultToleranceEmbeddedStorage, which is off by default.',
    fix: 'Remove the fields of the other backend, and set either claimName or size, class, and access modes in storage.',
  },
  function* ({ spec, path }) {
    const options = asObject(spec.gcsFaultToleranceOptions);
    const at = `${path}/gcsFaultToleranceOptions`;
    if (options.backend === 'rocksdb') {
      for (const field of ['redisAddress', 'redisUsername', 'redisPassword']) {
        if (options[field] !== undefined) {
          yield { path: `${at}/${field}`, message: `${field} must not be set when backend is rocksdb` };
        }
      }
    }
    const claim = asObject(options.storage);
    if ((asString(claim.claimName) ?? '') === '') {
      return;
    }
    for (const field of ['size', 'storageClassName', 'accessModes']) {
      if (claim[field] !== undefined) {
        yield {
          path: `${at}/storage/${field}`,
          message: `${field} must not be set when storage.claimName is set`,
          found: claim[field],
        };
      }
    }
  },
);

const restartPolicy = clusterRule(
  {
    id: 'ray/autoscaler-v2-restart-policy',
    row: 'RA6',
    summary: 'With autoscaler v2, restartPolicy of pods must be Never or unset.',
    why: 'The autoscaler replaces pods itself; the controller rejects any other policy.',
    fix: 'Set restartPolicy to Never in the pod templates, or remove it.',
  },
  function* (cluster) {
    if (!cluster.autoscaling || !cluster.autoscalerV2) {
      return;
    }
    for (const { podSpec, podSpecPath, name } of groupsOf(cluster)) {
      const policy = asString(podSpec.restartPolicy) ?? '';
      if (policy === '' || policy === 'Never') {
        continue;
      }
      yield {
        path: `${podSpecPath}/restartPolicy`,
        message: `restartPolicy in ${groupAt(podSpecPath, name)} must be Never, but is ${JSON.stringify(policy)}`,
        found: policy,
        expected: 'Never',
      };
    }
  },
);

const versionOnce = clusterRule(
  {
    id: 'ray/autoscaler-version-stated-once',
    row: 'RA6',
    summary: `The environment variable ${V2_VARIABLE} of the head must be set only if the autoscaler is on and autoscalerOptions.version is unset.`,
    why: 'The controller rejects the cluster.',
    fix: `Remove ${V2_VARIABLE}, and set enableInTreeAutoscaling and autoscalerOptions.version.`,
  },
  function* ({ head, spec, autoscaling }) {
    const variable = variableOf(head, V2_VARIABLE);
    if (variable === undefined) {
      return;
    }
    if (!autoscaling && (variable.value === '1' || variable.value === 'true')) {
      yield {
        path: variable.path,
        message: `${V2_VARIABLE} must not be set when enableInTreeAutoscaling is false`,
        found: variable.value,
      };
    }
    if (autoscaling && asObject(spec.autoscalerOptions).version !== undefined) {
      yield {
        path: variable.path,
        message: `${V2_VARIABLE} must not be set when autoscalerOptions.version is set`,
        found: variable.value,
      };
    }
  },
);

const perGroup = clusterRule(
  {
    id: 'ray/group-settings-need-autoscaler-v2',
    row: 'RA6',
    summary:
      'idleTimeoutSeconds and priority of a worker group require autoscaler v2 (priority also Ray 2.56), and idle timeouts must not be negative.',
    why: 'Autoscaler v1 has no settings for groups; the controller rejects the cluster.',
    fix: 'Set autoscalerOptions.version: v2, or remove the field.',
  },
  function* ({ workers, head, spec, path, autoscalerV2, autoscaling, version }) {
    const variable = variableOf(head, V2_VARIABLE)?.value;
    const v2 = autoscalerV2 || variable === '1' || variable === 'true';
    for (const { value, path: at, name } of workers) {
      const idle = asInteger(value.idleTimeoutSeconds);
      if (idle !== undefined && idle < 0) {
        yield {
          path: `${at}/idleTimeoutSeconds`,
          message: `idleTimeoutSeconds in ${groupAt(at, name)} must be greater than or equal to 0, but is ${idle}`,
          found: idle,
          expected: 'at least 0',
        };
      } else if (idle !== undefined && !v2) {
        yield {
          path: `${at}/idleTimeoutSeconds`,
          message: `idleTimeoutSeconds in ${groupAt(at, name)} requires autoscalerOptions.version: v2`,
          found: idle,
          fix: `Set autoscalerOptions.version: v2, or remove ${fieldOf(at)}.idleTimeoutSeconds.`,
        };
      }
      const priority = asInteger(value.priority) ?? 0;
      if (priority === 0) {
        continue;
      }
      if (!v2 || !autoscaling) {
        yield {
          path: `${at}/priority`,
          message: `priority in ${groupAt(at, name)} requires autoscalerOptions.version: v2`,
          found: priority,
          fix: `Set autoscalerOptions.version: v2, or remove ${fieldOf(at)}.priority.`,
        };
      } else if (version !== undefined && isBefore(version, 2, 56)) {
        yield {
          path: `${at}/priority`,
          message: `Ray ${version.text} does not support priority in ${groupAt(at, name)}`,
          found: priority,
          expected: 'Ray 2.56 or later',
          fix: 'Remove priority, or set rayVersion and the images to Ray 2.56 or later.',
        };
      }
    }
    const idle = asInteger(asObject(spec.autoscalerOptions).idleTimeoutSeconds);
    if (idle !== undefined && idle < 0) {
      yield {
        path: `${path}/autoscalerOptions/idleTimeoutSeconds`,
        message: `idleTimeoutSeconds must be greater than or equal to 0, but is ${idle}`,
        found: idle,
        expected: 'at least 0',
      };
    }
  },
);

export const autoscalerRules: readonly Rule[] = [faultTolerance, storage, restartPolicy, versionOnce, perGroup];

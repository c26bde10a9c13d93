/**
 * Ray clusters, jobs, and services.
 */
import { duration, type Expression, type Fields, isFields, nonEmpty, referenceTo, textOf } from '../expression';
import { podProps, type Pods } from '../pods';
import { all, at, fieldsOf, flag, type Inverse, oneOf, present, priorityOf, whole, workload } from '../proposal';

interface Cluster {
  readonly parts: Fields;
  readonly pods: readonly Pods[];
}

const DASHBOARD = 'dashboard-host';

function clusterOf(spec: Expression): Cluster | undefined {
  const head = podProps(at(spec, 'headGroupSpec', 'template'), { container: 'ray-head' });
  const groups: Pods[] = [];
  const autoscaling = at(spec, 'enableInTreeAutoscaling') === true;
  const workers = all(at(spec, 'workerGroupSpecs'), (group) => {
    const pods = podProps(at(group, 'template'), { container: 'ray-worker' });
    if (pods === undefined || at(group, 'groupName') === undefined) {
      return undefined;
    }
    groups.push(pods);
    return { groupName: at(group, 'groupName'), ...boundsOf(group, autoscaling), ...pods.props };
  });
  if (head === undefined || workers === undefined) {
    return undefined;
  }
  const start = fieldsOf(at(spec, 'headGroupSpec', 'rayStartParams'));
  const { 'num-cpus': cpus, [DASHBOARD]: dashboard, ...others } = start;
  const options = at(spec, 'autoscalerOptions');
  const startParams = present({
    ...others,
    'num-cpus': cpus === '0' ? undefined : cpus,
    [DASHBOARD]: dashboard === '0.0.0.0' ? undefined : dashboard,
  });
  return {
    pods: [head, ...groups],
    parts: {
      rayVersion: at(spec, 'rayVersion'),
      head: { ...head.props, schedulesTasks: cpus === '0' ? undefined : true, startParams },
      workers: nonEmpty(workers),
      autoscaler: autoscaling
        ? {
            version: oneOf(at(options, 'version') ?? 'v1', 'v1'),
            idleTimeout: duration(at(options, 'idleTimeoutSeconds')),
            upscaling: oneOf(at(options, 'upscalingMode'), 'Default', 'Aggressive', 'Conservative'),
          }
        : undefined,
      faultTolerance: faultToleranceOf(at(spec, 'gcsFaultToleranceOptions')),
      tokenAuthentication: at(spec, 'authOptions', 'mode') === 'token' ? true : undefined,
    },
  };
}

function boundsOf(group: Expression, autoscaling: boolean): Fields {
  const stated = whole(at(group, 'replicas'));
  const min = whole(at(group, 'minReplicas')) ?? 0;
  const replicas = Math.max(stated ?? min, min);
  const max = whole(at(group, 'maxReplicas')) ?? 2_147_483_647;
  const isLeast = autoscaling ? min === 0 : min === replicas;
  const hosts = whole(at(group, 'numOfHosts'));
  return {
    replicas: autoscaling && replicas === min ? undefined : replicas,
    min: isLeast ? undefined : min,
    max: max === replicas ? undefined : max,
    hosts: hosts === 1 ? undefined : hosts,
    startParams: present(fieldsOf(at(group, 'rayStartParams'))),
    idleTimeout: duration(at(group, 'idleTimeoutSeconds')),
    groupPriority: whole(at(group, 'priority')),
  };
}

function faultToleranceOf(options: Expression): Fields | undefined {
  const redisAddress = at(options, 'redisAddress');
  const key = at(options, 'redisPassword', 'valueFrom', 'secretKeyRef');
  return redisAddress === undefined
    ? undefined
    : {
        redisAddress,
        password: isFields(key) ? { secret: key.name, key: key.key } : undefined,
        storageNamespace: at(options, 'externalStorageNamespace'),
      };
}

const PRIORITY = 'ray.io/priority-class-name';

/** The label goes with the class: pods that name one without it keep it in their overrides. */
function withPriority(
  object: Fields,
  pods: readonly Pods[],
): { readonly props: Fields; readonly taken: readonly string[] } {
  const label = at(object.metadata, 'labels', PRIORITY);
  const props = label === undefined ? {} : priorityOf(pods, label);
  return { props, taken: props.priorityClass === undefined ? [] : [PRIORITY] };
}

const cluster: Inverse = (object) => {
  const found = clusterOf(object.spec);
  if (found === undefined) {
    return undefined;
  }
  const { props, taken } = withPriority(object, found.pods);
  const suspend = flag(at(object.spec, 'suspend'));
  return workload('ray.RayCluster', { ...found.parts, suspend, ...props }, { taken });
};

const job: Inverse = (object) => {
  const { spec } = object;
  const found = clusterOf(at(spec, 'rayClusterSpec'));
  const selector = fieldsOf(at(spec, 'clusterSelector'));
  const existing = referenceTo(selector['ray.io/cluster'], 'ray.RayCluster');
  if (at(spec, 'entrypoint') === undefined || (found === undefined && existing === undefined)) {
    return undefined;
  }
  const { props, taken } = withPriority(object, found?.pods ?? []);
  return workload(
    'ray.RayJob',
    {
      entrypoint: at(spec, 'entrypoint'),
      cluster: found?.parts ?? existing,
      submission: oneOf(at(spec, 'submissionMode'), 'K8sJobMode', 'HTTPMode', 'SidecarMode'),
      shutdown: found === undefined || at(spec, 'shutdownAfterJobFinishes') === true ? undefined : false,
      ttlAfterFinished: duration(at(spec, 'ttlSecondsAfterFinished')),
      backoffLimit: whole(at(spec, 'backoffLimit')),
      activeDeadline: duration(at(spec, 'activeDeadlineSeconds')),
      entrypointCpus: at(spec, 'entrypointNumCpus'),
      entrypointGpus: at(spec, 'entrypointNumGpus'),
      suspend: flag(at(spec, 'suspend')),
      overrides: present({ runtimeEnvYAML: at(spec, 'runtimeEnvYAML') }),
      ...props,
    },
    { taken },
  );
};

const service: Inverse = (object) => {
  const { spec } = object;
  const found = clusterOf(at(spec, 'rayClusterConfig'));
  const serveConfig = at(spec, 'serveConfigV2');
  if (found === undefined || serveConfig === undefined) {
    return undefined;
  }
  const { props, taken } = withPriority(object, found.pods);
  return workload(
    'ray.RayService',
    {
      serveConfig,
      cluster: found.parts,
      upgrade: upgradeOf(at(spec, 'upgradeStrategy')),
      clusterDeletionDelay: duration(at(spec, 'rayClusterDeletionDelaySeconds')),
      excludeHead: flag(at(spec, 'excludeHeadPodFromServeSvc')),
      ...props,
    },
    { taken },
  );
};

const UPGRADES: Readonly<Record<string, string>> = { NewCluster: 'new-cluster', None: 'none' };

function upgradeOf(strategy: Expression): Expression {
  const type = textOf(at(strategy, 'type')) ?? '';
  const options = fieldsOf(at(strategy, 'clusterUpgradeOptions'));
  const { gatewayClassName, stepSizePercent, maxSurgePercent } = options;
  const interval = duration(options.intervalSeconds);
  const isIncremental = gatewayClassName !== undefined && stepSizePercent !== undefined && interval !== undefined;
  return type === 'NewClusterWithIncrementalUpgrade' && isIncremental
    ? { gatewayClassName, stepPercent: stepSizePercent, interval, maxSurgePercent }
    : UPGRADES[type];
}

export const RAY: Readonly<Record<string, Inverse>> = {
  'ray.io/v1/RayCluster': cluster,
  'ray.io/v1/RayJob': job,
  'ray.io/v1/RayService': service,
};

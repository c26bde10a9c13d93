/**
 * Scaled objects, scaled jobs, and authentications of KEDA.
 */
import {
  duration,
  type Expression,
  type Fields,
  isFields,
  namedReference,
  nonEmpty,
  Reference,
  textOf,
  wordOf,
} from '../expression';
import { podProps } from '../pods';
import { at, type Inverse, listOf, oneOf, present, priorityOf, whole, workload } from '../proposal';
import { triggersOf } from './keda-triggers';

/** The workload, where the stack has it; its replicas are stated there. */
function targetOf(target: Expression): Expression {
  const name = at(target, 'name');
  if (name instanceof Reference) {
    return name.construct;
  }
  return name === undefined
    ? undefined
    : { apiVersion: at(target, 'apiVersion') ?? 'apps/v1', kind: at(target, 'kind') ?? 'Deployment', name };
}

const scaledObject: Inverse = ({ spec }) => {
  const target = targetOf(at(spec, 'scaleTargetRef'));
  const triggers = triggersOf(at(spec, 'triggers'));
  const advanced = at(spec, 'advanced');
  const hpa = at(advanced, 'horizontalPodAutoscalerConfig');
  const modifiers = at(advanced, 'scalingModifiers');
  const fallback = at(spec, 'fallback');
  if (target === undefined || triggers === undefined) {
    return undefined;
  }
  const modifierTarget = Number(textOf(at(modifiers, 'target')));
  return {
    className: 'keda.ScaledObject',
    overrides: 'spec',
    props: {
      target,
      triggers: nonEmpty(triggers),
      minReplicas: whole(at(spec, 'minReplicaCount')),
      maxReplicas: whole(at(spec, 'maxReplicaCount')),
      idleReplicas: whole(at(spec, 'idleReplicaCount')),
      pollingInterval: duration(at(spec, 'pollingInterval')),
      cooldownPeriod: duration(at(spec, 'cooldownPeriod')),
      initialCooldownPeriod: duration(at(spec, 'initialCooldownPeriod')),
      fallback,
      horizontalPodAutoscaler: isFields(hpa) ? { name: hpa.name, behavior: hpa.behavior } : undefined,
      scalingModifiers:
        isFields(modifiers) && modifierTarget > 0
          ? {
              formula: modifiers.formula,
              target: modifierTarget,
              activationTarget: numberIn(modifiers.activationTarget),
              metricType: oneOf(modifiers.metricType, 'AverageValue', 'Value'),
            }
          : undefined,
      restoreToOriginalReplicas: at(advanced, 'restoreToOriginalReplicaCount'),
      envSourceContainer: at(spec, 'scaleTargetRef', 'envSourceContainerName'),
    },
  };
};

function numberIn(value: Expression): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

const scaledJob: Inverse = ({ spec }) => {
  const job = at(spec, 'jobTargetRef');
  const pods = podProps(at(job, 'template'), { namesContainer: true, restartPolicy: true });
  const triggers = triggersOf(at(spec, 'triggers'));
  const strategy = at(spec, 'scalingStrategy');
  if (pods === undefined || triggers === undefined) {
    return undefined;
  }
  return workload('keda.ScaledJob', {
    ...pods.props,
    containerName: pods.containerName === 'main' ? undefined : pods.containerName,
    restartPolicy: oneOf(pods.restartPolicy, 'OnFailure'),
    parallelism: whole(at(job, 'parallelism')),
    completions: whole(at(job, 'completions')),
    backoffLimit: whole(at(job, 'backoffLimit')),
    activeDeadline: duration(at(job, 'activeDeadlineSeconds')),
    ttlAfterFinished: duration(at(job, 'ttlSecondsAfterFinished')),
    triggers: nonEmpty(triggers),
    minReplicas: whole(at(spec, 'minReplicaCount')),
    maxReplicas: whole(at(spec, 'maxReplicaCount')),
    pollingInterval: duration(at(spec, 'pollingInterval')),
    successfulJobsHistoryLimit: whole(at(spec, 'successfulJobsHistoryLimit')),
    failedJobsHistoryLimit: whole(at(spec, 'failedJobsHistoryLimit')),
    envSourceContainer: at(spec, 'envSourceContainerName'),
    rollout: oneOf(at(spec, 'rollout', 'strategy'), 'gradual', 'immediate'),
    scaling: scalingOf(strategy),
    multipleTriggers: oneOf(at(strategy, 'multipleScalersCalculation'), 'min', 'avg', 'sum', 'max'),
    ...priorityOf([pods]),
  });
};

function scalingOf(stated: Expression): Fields | undefined {
  const strategy = oneOf(at(stated, 'strategy'), 'default', 'accurate', 'eager', 'custom');
  if (strategy === 'custom') {
    return {
      strategy,
      queueLengthDeduction: whole(at(stated, 'customScalingQueueLengthDeduction')),
      runningJobShare: numberIn(at(stated, 'customScalingRunningJobPercentage')),
    };
  }
  return strategy === undefined
    ? undefined
    : {
        strategy,
        pendingPodConditions: strategy === 'accurate' ? at(stated, 'pendingPodConditions') : undefined,
      };
}

/** What both kinds have, and what only the one of the cluster has, as it is. */
const STORES = [
  'awsSecretManager',
  'azureKeyVault',
  'boundServiceAccountToken',
  'gcpSecretManager',
  'hashiCorpVault',
  'filePath',
] as const;

function identityOf(stated: Expression): Fields | undefined {
  const provider = oneOf(at(stated, 'provider'), 'aws', 'azure-workload', 'gcp');
  switch (provider) {
    case 'aws':
      return at(stated, 'identityOwner') === 'workload'
        ? { provider, identityOwner: 'workload' }
        : { provider, roleArn: at(stated, 'roleArn'), externalId: at(stated, 'externalID') };
    case 'azure-workload':
      return {
        provider,
        identityId: at(stated, 'identityId'),
        tenantId: at(stated, 'identityTenantId'),
        authorityHost: at(stated, 'identityAuthorityHost'),
      };
    case 'gcp':
      return { provider };
    case undefined:
      break;
  }
  return undefined;
}

function clientOf(stated: Expression): Fields | undefined {
  const secret = at(stated, 'clientSecret', 'valueFrom', 'secretKeyRef');
  return at(stated, 'clientId') === undefined || at(stated, 'tokenUrl') === undefined
    ? undefined
    : {
        clientId: at(stated, 'clientId'),
        clientSecret: isFields(secret) ? { name: namedReference(secret.name), key: secret.key } : undefined,
        tokenUrl: at(stated, 'tokenUrl'),
        scopes: at(stated, 'scopes'),
        tokenUrlParameters: at(stated, 'tokenUrlParams'),
      };
}

/** Parameters from the keys of Secrets and ConfigMaps, and from variables; identities, clients, and stores. */
const authentication =
  (className: string): Inverse =>
  ({ spec }) => {
    const keys = (list: Expression): Fields | undefined =>
      present(
        Object.fromEntries(
          listOf(list).map((one) => [
            wordOf(at(one, 'parameter')),
            { name: namedReference(at(one, 'name')), key: at(one, 'key') } satisfies Fields,
          ]),
        ),
      );
    const environment = listOf(at(spec, 'env')).map((one): [string, Expression] => {
      const container = at(one, 'containerName');
      const name = at(one, 'name');
      return [wordOf(at(one, 'parameter')), container === undefined ? name : { variable: name, container }];
    });
    const props = {
      podIdentity: identityOf(at(spec, 'podIdentity')),
      oauth2: clientOf(at(spec, 'oauth2')),
      ...Object.fromEntries(STORES.map((store) => [store, at(spec, store)])),
      secrets: keys(at(spec, 'secretTargetRef')),
      configMaps: keys(at(spec, 'configMapTargetRef')),
      environment: present(Object.fromEntries(environment)),
    };
    return present(props) === undefined ? undefined : { className, overrides: 'spec', props };
  };

export const KEDA: Readonly<Record<string, Inverse>> = {
  'keda.sh/v1alpha1/ScaledJob': scaledJob,
  'keda.sh/v1alpha1/ScaledObject': scaledObject,
  'keda.sh/v1alpha1/TriggerAuthentication': authentication('keda.TriggerAuthentication'),
  'keda.sh/v1alpha1/ClusterTriggerAuthentication': authentication('keda.ClusterTriggerAuthentication'),
};

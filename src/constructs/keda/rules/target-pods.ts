/**
 * KE3 and KE21: what the containers of the target state.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { type Rule } from '../../../checks/rules/rule';
import { containerDefaultsOf, policyOf } from '../../../checks/server/admission/namespace-policy';
import { type ManifestSet } from '../../../manifests/manifest-set';
import { pointer } from '../../../manifests/pointer';
import { parseQuantity } from '../../../manifests/values/quantity';
import { asArray, asObject, asString, stringEntries } from '../../../manifests/read';
import { isResourceTrigger, KEDA_PROJECT } from '../keda-facts';
import { targetName } from './target';
import { containersIn, environmentContainer, environmentSourceOf, podSpecOf } from './target-environment';
import { scaledObjectRule, scaledRule, type ScaledView } from './view';
import { allOf, oneOfStrings } from '../../../facts/words';

const requestsStated = scaledObjectRule(
  {
    id: 'keda/resource-trigger-has-requests',
    row: 'KE3',
    tier: 'webhook',
    severity: 'error',
    summary:
      'The containers that a cpu or memory trigger measures must have a request or a limit of that resource, or get one from a LimitRange.',
    why: 'Usage is measured relative to the request. The webhook rejects a ScaledObject for a Deployment or StatefulSet otherwise; for other targets the autoscaler reports errors permanently.',
    fix: 'Set resources.requests in every container, including sidecars, or set containerName to the container that is measured.',
    concerns: ['triggers'],
  },
  function* (view, { set }) {
    const pods = podSpecOf(view, set);
    if (pods === undefined) {
      return;
    }
    for (const { type, metadata, path } of view.triggers) {
      if (!isResourceTrigger(type)) {
        continue;
      }
      const only = asString(metadata.containerName) ?? '';
      const without = containersIn(pods.spec).filter(
        (container) => (only === '' || container.name === only) && !states(container, type),
      );
      if (without.length === 0 || namespaceGives(set, view, type)) {
        continue;
      }
      const names = without.map(({ name }) => `"${asString(name) ?? ''}"`);
      const containers = `${names.length === 1 ? 'container' : 'containers'} ${allOf(names)}`;
      // What is not shown here may still lie in the cluster: a namespace that is made elsewhere may have a LimitRange.
      const ours = set.get('Namespace', pods.target.namespace) !== undefined;
      yield {
        path,
        message: `the ${type} trigger requires a ${type} request in the ${containers} of ${targetName(pods.target)}`,
        fix: `Set resources.requests.${type} in the ${containers}, or set metadata.containerName to a container that has a ${type} request.`,
        ...(ours ? {} : { severity: 'warning' as const }),
      };
    }
  },
);

function states(container: JsonObject, resource: string): boolean {
  const { requests, limits } = asObject(container.resources);
  return [requests, limits].some((amounts) => isPositive(asObject(amounts)[resource]));
}

function isPositive(value: unknown): boolean {
  const quantity = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  return quantity !== undefined && !quantity.isZero() && !quantity.isNegative();
}

/** Whether an item of a LimitRange of the target's namespace gives containers the amount, with what the server fills in. */
function namespaceGives(set: ManifestSet, { manifest }: ScaledView, resource: string): boolean {
  return policyOf(set, manifest).limits.some((item) => {
    const { requests, limits } = containerDefaultsOf(item);
    return (
      item.type === 'Container' && [requests, limits].some((amounts) => amounts.get(resource)?.isPositive() === true)
    );
  });
}

const containerExists = scaledRule(
  {
    id: 'keda/container-of-target',
    row: 'KE21',
    tier: 'webhook',
    severity: 'error',
    summary: 'containerName of a trigger and envSourceContainerName must name a container of the target.',
    why: 'The autoscaler finds no metrics of an unknown container, and the controller finds no environment variables.',
    source: `${KEDA_PROJECT}, pkg/scaling/resolver/scale_resolvers.go; Kubernetes, pkg/controller/podautoscaler`,
    fix: 'Set containerName or envSourceContainerName to a container of the pod template.',
    concerns: ['containerName', 'envSourceContainerName'],
  },
  function* (view, { set }) {
    const pods = podSpecOf(view, set);
    if (pods === undefined) {
      return;
    }
    const names = containersIn(pods.spec).flatMap(({ name }) => asString(name) ?? []);
    const wrong = (name: string | undefined): name is string =>
      name !== undefined && name !== '' && names.length > 0 && !names.includes(name);
    for (const { type, metadata, path } of view.triggers) {
      const name = asString(metadata.containerName);
      if (isResourceTrigger(type) && wrong(name)) {
        yield {
          path: `${path}/metadata/containerName`,
          message: `${targetName(pods.target)} has no container "${name}"`,
          found: name,
          expected: oneOfStrings(names),
          fix: `Set containerName to ${oneOfStrings(names)}.`,
        };
      }
    }
    const { holder, path } = environmentSourceOf(view);
    const source = asString(holder.envSourceContainerName);
    if (!wrong(source)) {
      return;
    }
    yield {
      path: `${path}/envSourceContainerName`,
      message: `${targetName(pods.target)} has no container "${source}"`,
      found: source,
      expected: oneOfStrings(names),
      fix: `Set envSourceContainerName to ${oneOfStrings(names)}.`,
    };
  },
);

const variableExists = scaledRule(
  {
    id: 'keda/variable-of-target',
    row: 'KE21',
    tier: 'webhook',
    severity: 'error',
    summary:
      "An environment variable that a trigger reads (…FromEnv) must be set in the target's first container, or in envSourceContainerName.",
    why: 'Otherwise the parameter has no value; if the scaler requires it, the workload is not scaled.',
    source: `${KEDA_PROJECT}, pkg/scaling/resolver/scale_resolvers.go`,
    fix: 'Add the variable to env of the container, or provide the value with a TriggerAuthentication.',
    concerns: ['triggers'],
  },
  function* (view, { set }) {
    const pods = podSpecOf(view, set);
    if (pods === undefined) {
      return;
    }
    const container = environmentContainer(view, pods.spec);
    if (container === undefined || asArray(container.envFrom).length > 0) {
      return;
    }
    const variables = asArray(container.env).map((variable) => asObject(variable).name);
    for (const { metadata, path } of view.triggers) {
      for (const [key, variable] of stringEntries(metadata)) {
        if (!key.endsWith('FromEnv') || variable === '' || variables.includes(variable)) {
          continue;
        }
        yield {
          path: pointer(`${path}/metadata`, key),
          message: `the container "${asString(container.name) ?? ''}" of ${targetName(pods.target)} has no environment variable "${variable}"`,
          found: variable,
          fix: `Add the environment variable "${variable}" to the container "${asString(container.name) ?? ''}", or provide the value with a TriggerAuthentication.`,
        };
      }
    }
  },
);

export const targetPodRules: readonly Rule[] = [requestsStated, containerExists, variableExists];

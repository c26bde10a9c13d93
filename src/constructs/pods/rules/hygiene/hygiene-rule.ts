/**
 * How rules on hygiene are made. They are about ordinary workloads, run only if they are requested, and never report an error.
 */
import { type JsonObject } from '../../../../facts/api/schema';
import { type PodTemplateRule, type RuleContext, type RuleFacts, type Violation } from '../../../../checks/rules/rule';
import { type PodTemplate } from '../../../../manifests/pods/pod-template';
import { fieldOf } from '../../../../manifests/pointer';
import { asObject, asString, isObject, objectsAt } from '../../../../manifests/read';

export const HYGIENE = { group: 'hygiene', tier: 'advice', severity: 'warning' } as const;

type Texts = Pick<RuleFacts, 'summary' | 'why' | 'fix' | 'source' | 'concerns'>;

/** A rule on pod templates; its id without the domain. */
export function hygieneRule(
  id: string,
  texts: Texts,
  check: (template: PodTemplate, context: RuleContext) => Iterable<Violation>,
  sees: PodTemplateRule['sees'] = 'template',
): PodTemplateRule {
  return { ...HYGIENE, ...texts, id: `hygiene/${id}`, on: 'pod-template', sees, check };
}

/** A container of a pod. */
export interface PodContainer {
  readonly value: JsonObject;
  /** JSON pointer from the template. */
  readonly path: string;
  /** As messages show it: `the container "server"`, or `containers[0]` without a name. */
  readonly title: string;
  readonly list: 'initContainers' | 'containers';
  readonly security: JsonObject;
}

function titleOf({ name }: JsonObject, path: string): string {
  const text = asString(name) ?? '';
  return text === '' ? fieldOf(path) : `the container "${text}"`;
}

/** The containers of a template, init containers first. Ephemeral containers are for debugging, and are not judged. */
export function containersIn(spec: JsonObject): readonly PodContainer[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    objectsAt(spec, `/${list}`).map(({ value, path }) => ({
      value,
      path: `/spec${path}`,
      title: titleOf(value, path),
      list,
      security: asObject(value.securityContext),
    })),
  );
}

/** The paths of the node that a container mounts. */
export function hostPathsOf({ value }: PodContainer, spec: JsonObject): readonly string[] {
  const mounted = new Set(objectsAt(value, '/volumeMounts').map(({ value: mount }) => mount.name));
  return objectsAt(spec, '/volumes').flatMap(({ value: volume }) =>
    mounted.has(volume.name) && isObject(volume.hostPath) ? [asString(volume.hostPath.path) ?? ''] : [],
  );
}

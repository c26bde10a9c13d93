/**
 * A pod as the Pod Security Standards see it, and what their checks share.
 *
 * Source: k8s.io/pod-security-admission 0.36, policy/check_*.go.
 */
import { type JsonObject, type JsonValue } from '../../../../facts/api/schema';
import { type Violation } from '../../../rules/rule';
import { asObject, asString, objectsAt } from '../../../../manifests/read';

export type RestrictedLevel = 'baseline' | 'restricted';

/** A pod, or the pods that a template makes. */
export interface SecuredPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly security: JsonObject;
  readonly containers: readonly SecuredContainer[];
}

interface SecuredContainer {
  readonly value: JsonObject;
  /** JSON pointer from the pod. */
  readonly path: string;
  readonly name: string;
  readonly security: JsonObject;
}

/** One revision of a check. */
export interface Revision {
  /** The first minor of the standard with this revision. */
  readonly since: number;
  readonly find: (pod: SecuredPod) => Iterable<Violation>;
}

export interface PodSecurityCheck {
  readonly id: string;
  readonly level: RestrictedLevel;
  /** Ascending. */
  readonly revisions: readonly Revision[];
  /** The check of `baseline` that this one replaces in `restricted`. */
  readonly overrides?: string;
}

export function securedPod({
  metadata,
  spec,
}: {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}): SecuredPod {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, `/${list}`).map(({ value, path }) => ({
      value,
      path: `/spec${path}`,
      name: asString(value.name) ?? '(no name)',
      security: asObject(value.securityContext),
    })),
  );
  return { metadata, spec, security: asObject(spec.securityContext), containers };
}

export const isWindows = ({ spec }: SecuredPod): boolean => asObject(spec.os).name === 'windows';
export const hasUserNamespace = ({ spec }: SecuredPod): boolean => spec.hostUsers === false;
export const isSet = (value: JsonValue | undefined): boolean => value !== undefined && value !== null;

export type Find = Revision['find'];

/** The revision for pods that this is true of finds nothing. */
export const unless =
  (exempt: (pod: SecuredPod) => boolean, find: Find): Find =>
  (pod) =>
    exempt(pod) ? [] : find(pod);

/** A security context, of the pod or of a container, with its place and its name in messages. */
interface Setter {
  readonly security: JsonObject;
  readonly path: string;
  readonly name: string;
}

export function settersOf({ security, containers }: SecuredPod): readonly Setter[] {
  return [
    { security, path: '/spec/securityContext', name: 'the pod' },
    ...containers.map((container) => ({
      security: container.security,
      path: `${container.path}/securityContext`,
      name: `the container "${container.name}"`,
    })),
  ];
}

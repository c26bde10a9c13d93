/**
 * What one idea (an accelerator, an RDMA device, a set of node labels) adds to a pod, as a plain value, and how several of them
 * come together. A part knows nothing of the others; what two of them say about one thing must agree.
 */
import {
  type EnvVar,
  type NodeSelectorRequirement,
  type PodSpec,
  type PreferredSchedulingTerm,
  type ResourceClaim,
  type Toleration,
} from '../../facts/api/types/core/v1';
import { type Quantity } from '../../facts/api/scalars';
import { type Mount } from './mount';
import { publicFunction } from '../../facts/calls/public-function';

/** What a part may look at before it says what it adds. */
export interface PodContext {
  /** The pod shares the network of its node: interfaces have the node's names. */
  readonly hostNetwork: boolean;
  /** Namespace of the pod. @default - not known */
  readonly namespace?: string;
}

/** What a part adds to a pod. Contributions of several parts are joined. */
export interface PodContribution {
  /** Labels of the pod. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * Annotations of the pod. Values of the annotation that lists networks are joined; two different values of any other
   * one throw an error.
   * @default - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Environment of the main container. A variable of the same name that the user sets takes precedence.
   * @default - none
   */
  readonly env?: readonly EnvVar[];
  /**
   * Limits of the main container. Extended resources are set here alone, since a request must equal the limit.
   * @default - none
   */
  readonly limits?: Readonly<Record<string, Quantity>>;
  /** Requests of the main container. @default - none */
  readonly requests?: Readonly<Record<string, Quantity>>;
  /** Claims of the main container; those of the pod belong into `pod.resourceClaims`. @default - none */
  readonly claims?: readonly ResourceClaim[];
  /** Volumes and their mounts in the main container. @default - none */
  readonly mounts?: readonly Mount[];
  /** Tolerations of the pod. @default - none */
  readonly tolerations?: readonly Toleration[];
  /** Labels that the node must have. @default - none */
  readonly nodeLabels?: Readonly<Record<string, string>>;
  /** Requirements on the node; all must hold. @default - none */
  readonly nodeRequirements?: readonly NodeSelectorRequirement[];
  /** Preferred node affinity. @default - none */
  readonly nodePreferences?: readonly PreferredSchedulingTerm[];
  /** Capabilities that the main container needs beside those of the runtime. @default - none */
  readonly capabilities?: readonly string[];
  /** Fields of the pod that no other part may set to another value; lists are joined. @default - none */
  readonly pod?: Partial<PodSpec>;
  /** Constructs that must exist before the pod. @default - none */
  readonly references?: readonly object[];
}

/** A part of a pod. Accelerator, Rdma, NcclProfile, SharedMemory, NodeSelection and Scheduling are parts; others may be written. */
export interface PodPart {
  /** Returns what the part adds to a pod. */
  toPod(context: PodContext): PodContribution;
}

/** A pod part that is written down as a value. */
export const podPart = publicFunction('podPart', (contribution: PodContribution): PodPart => {
  return { toPod: () => contribution };
});

/** Everything that several parts add. */
export interface CombinedParts {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly env: EnvVar[];
  readonly limits: Record<string, Quantity>;
  readonly requests: Record<string, Quantity>;
  readonly claims: ResourceClaim[];
  readonly mounts: Mount[];
  readonly tolerations: Toleration[];
  readonly nodeLabels: Record<string, string>;
  readonly nodeRequirements: NodeSelectorRequirement[];
  readonly nodePreferences: PreferredSchedulingTerm[];
  readonly capabilities: string[];
  readonly pod: Record<string, unknown>;
  readonly references: object[];
}

/** Annotations whose values are lists, so that two parts may both add to them. */
const JOINED_ANNOTATIONS = new Set(['k8s.v1.cni.cncf.io/networks']);

/**
 * Brings contributions together, in order.
 *
 * @throws where two of them give different values to one label, annotation, environment variable, resource, node label or field of the pod
 */
export function combine(contributions: readonly PodContribution[]): CombinedParts {
  const all: CombinedParts = {
    labels: {},
    annotations: {},
    env: [],
    limits: {},
    requests: {},
    claims: [],
    mounts: [],
    tolerations: [],
    nodeLabels: {},
    nodeRequirements: [],
    nodePreferences: [],
    capabilities: [],
    pod: {},
    references: [],
  };
  for (const part of contributions) {
    put(all.labels, part.labels, 'label');
    putAnnotations(all.annotations, part.annotations);
    putEnv(all.env, part.env);
    put(all.limits, part.limits, 'limit of');
    put(all.requests, part.requests, 'request of');
    put(all.nodeLabels, part.nodeLabels, 'node label');
    putFields(all.pod, part.pod);
    all.claims.push(...(part.claims ?? []));
    all.mounts.push(...(part.mounts ?? []));
    all.nodeRequirements.push(...(part.nodeRequirements ?? []));
    all.nodePreferences.push(...(part.nodePreferences ?? []));
    all.references.push(...(part.references ?? []));
    for (const toleration of part.tolerations ?? []) {
      if (!all.tolerations.some((known) => sameValue(known, toleration))) {
        all.tolerations.push(toleration);
      }
    }
    for (const capability of part.capabilities ?? []) {
      if (!all.capabilities.includes(capability)) {
        all.capabilities.push(capability);
      }
    }
  }
  return all;
}

function put<V>(into: Record<string, V>, from: Readonly<Record<string, V>> | undefined, what: string): void {
  for (const [key, value] of Object.entries(from ?? {})) {
    if (key in into && into[key] !== value) {
      throw new Error(
        `The pod gets two values for the ${what} "${key}": ${JSON.stringify(into[key])} and ${JSON.stringify(value)}. Set it once.`,
      );
    }
    into[key] = value;
  }
}

function putAnnotations(into: Record<string, string>, from: Readonly<Record<string, string>> | undefined): void {
  for (const [key, value] of Object.entries(from ?? {})) {
    const known = into[key];
    if (known !== undefined && JOINED_ANNOTATIONS.has(key)) {
      into[key] = `${known},${value}`;
    } else {
      put(into, { [key]: value }, 'annotation');
    }
  }
}

function putEnv(into: EnvVar[], from: readonly EnvVar[] | undefined): void {
  for (const variable of from ?? []) {
    const known = into.find(({ name }) => name === variable.name);
    if (known === undefined) {
      into.push(variable);
    } else if (!sameValue(known, variable)) {
      throw new Error(
        `Two parts of the pod set the environment variable ${variable.name} to different values. Set it in env, which overrides both.`,
      );
    }
  }
}

function putFields(into: Record<string, unknown>, from: Partial<PodSpec> | undefined): void {
  for (const [key, value] of Object.entries(from ?? {})) {
    const known = into[key];
    if (Array.isArray(known) && Array.isArray(value)) {
      into[key] = [...(known as unknown[]), ...(value as unknown[])];
    } else if (known !== undefined && !sameValue(known, value)) {
      throw new Error(
        `Two parts of the pod set ${key} to different values: ${JSON.stringify(known)} and ${JSON.stringify(value)}. Keep one of them.`,
      );
    } else {
      into[key] = value;
    }
  }
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Affinity, tolerations and spread of a pod in the terms of the placement core.
 */
import { type JsonObject, type JsonValue } from '../../../facts/api/schema';
import { asArray, asInteger, asObject, asString, stringEntries, stringsIn } from '../../../manifests/read';
import {
  type HostPort,
  type NodeTerm,
  type PodAffinityTerm,
  type PodSelector,
  type Requirement,
  type SelectorOperator,
  type TaintEffect,
  type Toleration,
  type TopologySpread,
  type WeightedNodeTerm,
  type WeightedPodAffinityTerm,
} from '../../../placement';

/** Names of the namespaces that a selector on namespaces chooses. */
export type NamespaceChooser = (selector: JsonObject) => readonly string[];

const OPERATORS: readonly SelectorOperator[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const EFFECTS: readonly TaintEffect[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function taintEffect(value: JsonValue | undefined): TaintEffect | undefined {
  return EFFECTS.find((effect) => effect === value);
}

export function requirementsOf(expressions: JsonValue | undefined): readonly Requirement[] {
  return asArray(expressions).flatMap((value): Requirement[] => {
    const { key, operator, values } = asObject(value);
    const known = OPERATORS.find((one) => one === operator);
    return typeof key === 'string' && known !== undefined ? [{ key, operator: known, values: stringsIn(values) }] : [];
  });
}

/** `matchLabels` and `matchExpressions` as requirements. */
export function labelRequirements(selector: JsonObject): readonly Requirement[] {
  const equal = stringEntries(selector.matchLabels).map(([key, value]): Requirement => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...equal, ...requirementsOf(selector.matchExpressions)];
}

/** The terms of a node selector; of several one is enough. */
export function nodeTermsOf(selector: JsonValue | undefined): readonly NodeTerm[] {
  return asArray(asObject(selector).nodeSelectorTerms).map(nodeTermOf);
}

function nodeTermOf(value: JsonValue | undefined): NodeTerm {
  const term = asObject(value);
  const labels = requirementsOf(term.matchExpressions);
  const fields = requirementsOf(term.matchFields);
  return { ...(labels.length > 0 && { labels }), ...(fields.length > 0 && { fields }) };
}

export function preferredNodeTermsOf(value: JsonValue | undefined): readonly WeightedNodeTerm[] {
  return asArray(value)
    .map(asObject)
    .map(({ weight, preference }) => ({ weight: asInteger(weight) ?? 1, term: nodeTermOf(preference) }));
}

/** What a pod's own labels and its namespace say to its selectors. */
export interface OwnPod {
  readonly labels: Readonly<Record<string, string>>;
  /** @default - no namespace is known, so that a selector on namespaces chooses none */
  readonly namespaces?: NamespaceChooser;
}

export function podAffinityTermsOf(value: JsonValue | undefined, own: OwnPod): readonly PodAffinityTerm[] {
  return asArray(value).flatMap((term) => podAffinityTermOf(asObject(term), own));
}

export function preferredPodAffinityTermsOf(
  value: JsonValue | undefined,
  own: OwnPod,
): readonly WeightedPodAffinityTerm[] {
  return asArray(value)
    .map(asObject)
    .flatMap(({ weight, podAffinityTerm }) =>
      podAffinityTermOf(asObject(podAffinityTerm), own).map((term) => ({ weight: asInteger(weight) ?? 1, term })),
    );
}

function podAffinityTermOf(term: JsonObject, own: OwnPod): readonly PodAffinityTerm[] {
  const topologyKey = asString(term.topologyKey);
  if (topologyKey === undefined || term.labelSelector === undefined || term.labelSelector === null) {
    return [];
  }
  const named = stringsIn(term.namespaces);
  const chosen =
    term.namespaceSelector === undefined || term.namespaceSelector === null
      ? []
      : (own.namespaces?.(asObject(term.namespaceSelector)) ?? []);
  const namespaces = [...new Set([...named, ...chosen])];
  const selector: PodSelector = {
    labels: [
      ...labelRequirements(asObject(term.labelSelector)),
      ...ownLabels(term.matchLabelKeys, own, 'In'),
      ...ownLabels(term.mismatchLabelKeys, own, 'NotIn'),
    ],
    ...(namespaces.length > 0 && { namespaces }),
  };
  return [{ selector, topologyKey }];
}

function ownLabels(keys: JsonValue | undefined, { labels }: OwnPod, operator: 'In' | 'NotIn'): readonly Requirement[] {
  return stringsIn(keys).flatMap((key) =>
    labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }],
  );
}

export function topologySpreadOf(value: JsonValue | undefined, own: OwnPod): readonly TopologySpread[] {
  return asArray(value)
    .map(asObject)
    .flatMap((constraint): TopologySpread[] => {
      const topologyKey = asString(constraint.topologyKey);
      if (topologyKey === undefined) {
        return [];
      }
      const soft = constraint.whenUnsatisfiable === 'ScheduleAnyway';
      return [
        {
          topologyKey,
          maxSkew: asInteger(constraint.maxSkew) ?? 1,
          ...(soft && { whenUnsatisfiable: 'ScheduleAnyway' as const }),
          selector: {
            labels: [
              ...labelRequirements(asObject(constraint.labelSelector)),
              ...ownLabels(constraint.matchLabelKeys, own, 'In'),
            ],
          },
        },
      ];
    });
}

export function tolerationsOf(value: JsonValue | undefined): readonly Toleration[] {
  return asArray(value)
    .map(asObject)
    .map((toleration): Toleration => {
      const key = asString(toleration.key);
      const text = asString(toleration.value);
      const effect = taintEffect(toleration.effect);
      return {
        ...(key !== undefined && key !== '' && { key }),
        ...(toleration.operator === 'Exists' && { operator: 'Exists' as const }),
        ...(text !== undefined && { value: text }),
        ...(effect !== undefined && { effect }),
      };
    });
}

/** Ports that the pod takes of its node: host ports, and with the host's network every port of its containers. */
export function hostPortsOf(spec: JsonObject): readonly HostPort[] {
  const sidecars = asArray(spec.initContainers)
    .map(asObject)
    .filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...asArray(spec.containers).map(asObject), ...sidecars].flatMap((container) =>
    asArray(container.ports)
      .map(asObject)
      .flatMap((port): HostPort[] => {
        const number =
          asInteger(port.hostPort) ?? (spec.hostNetwork === true ? asInteger(port.containerPort) : undefined);
        const protocol = asString(port.protocol);
        const address = asString(port.hostIP);
        if (number === undefined || number === 0) {
          return [];
        }
        return [
          { port: number, ...(protocol !== undefined && { protocol }), ...(address !== undefined && { address }) },
        ];
      }),
  );
}

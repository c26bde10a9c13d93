/**
 * KE10 and KE25: the queries of Prometheus triggers, and whether what they ask can start the first replica.
 */
import { type Rule } from '../../../checks/rule';
import { asInteger, asString } from '../../../manifests/read';
import { describeProblem, hasOneElement, metricsOf, parsePromql, typeOf } from '../../../facts/promql';
import { isResourceTrigger, KEDA_PROJECT } from '../keda-facts';
import { LLM_METRIC_NAMES } from '../llm-servers';
import { scaledObjectRule, triggerRule, type TriggerView } from './view';

const SCALER = `${KEDA_PROJECT}, pkg/scalers/prometheus_scaler.go`;

/** Scalers that send PromQL. */
const PROMETHEUS: ReadonlySet<string> = new Set(['prometheus', 'predictkube']);

function queryOf({ type, metadata }: TriggerView): string | undefined {
  const query = PROMETHEUS.has(type) ? asString(metadata.query) : undefined;
  return query === undefined || query.trim() === '' ? undefined : query;
}

const queryValid = triggerRule(
  {
    id: 'keda/prometheus-query-valid',
    row: 'KE10',
    tier: 'advice',
    severity: 'error',
    summary: 'The query of a Prometheus trigger is PromQL that gives an instant vector.',
    why: 'Prometheus refuses what it cannot read, and KEDA cannot read a scalar, a text or a range: every look at the trigger fails, and nothing is scaled.',
    source: `${SCALER}; Prometheus, promql/parser`,
    fix: 'Correct the query; wrap a scalar in vector(…).',
    concerns: ['query'],
  },
  function* (trigger) {
    const query = queryOf(trigger);
    if (query === undefined) {
      return;
    }
    const path = `${trigger.path}/metadata/query`;
    const { expression, problems } = parsePromql(query);
    const [problem] = problems.filter(({ kind }) => kind !== 'experimental');
    if (problem !== undefined) {
      yield { path, message: `Prometheus refuses the query: ${describeProblem(query, problem)}.`, found: query };
    }
    if (problem !== undefined || expression === undefined || trigger.type !== 'prometheus') {
      return;
    }
    const type = typeOf(expression);
    if (type === 'vector') {
      return;
    }
    yield {
      path,
      message:
        type === 'matrix' ? 'The query gives a range of values.' : `The query gives a ${type}, which KEDA cannot read.`,
      found: query,
      expected: 'an instant vector',
      ...(type === 'scalar' ? { fix: `Write vector(${query.trim()}).` } : {}),
    };
  },
);

const queryGivesOne = triggerRule(
  {
    id: 'keda/prometheus-query-gives-one-value',
    row: 'KE10',
    tier: 'advice',
    severity: 'warning',
    summary: 'The query of a Prometheus trigger gives one value, however many series there are.',
    why: 'KEDA takes several values for an error ("returned multiple elements"): it works with one pod and stops with the second, when it is needed.',
    source: SCALER,
    fix: 'Put the query into sum(…), max(…) or another aggregation without by.',
    concerns: ['query'],
  },
  function* (trigger) {
    const query = trigger.type === 'prometheus' ? queryOf(trigger) : undefined;
    if (query === undefined) {
      return;
    }
    const { expression, problems } = parsePromql(query);
    if (
      expression === undefined ||
      problems.length > 0 ||
      typeOf(expression) !== 'vector' ||
      hasOneElement(expression)
    ) {
      return;
    }
    yield {
      path: `${trigger.path}/metadata/query`,
      message: 'The query gives a value for each series that it meets.',
      found: query,
      expected: `one value, for example sum(${query.trim()})`,
    };
  },
);

const firstReplica = scaledObjectRule(
  {
    id: 'keda/first-replica-has-signal',
    row: 'KE25',
    tier: 'advice',
    severity: 'warning',
    summary: 'A target that may stand at zero has a trigger whose value does not come from the target itself.',
    why: 'Servers that do not run expose no queue and no cache: the value stays at zero, and nothing ever starts the first replica.',
    source: `${SCALER}; metrics of vLLM, SGLang, TGI and Triton`,
    fix: 'Keep one replica (minReplicaCount: 1), or add a trigger from outside, such as the request rate of the gateway.',
    concerns: ['triggers'],
  },
  function* ({ spec, triggers }) {
    const minimum =
      spec.minReplicaCount === undefined || spec.minReplicaCount === null ? 0 : asInteger(spec.minReplicaCount);
    if ((minimum !== 0 && spec.idleReplicaCount !== 0) || triggers.length === 0) {
      return;
    }
    const starters = triggers.filter(({ type }) => !isResourceTrigger(type));
    if (starters.length === 0 || !starters.every(asksTheServers)) {
      return;
    }
    yield {
      path: starters[0]?.path ?? '/spec/triggers',
      message: 'All triggers ask the servers that are scaled; at zero none of them answers.',
    };
  },
);

function asksTheServers(trigger: TriggerView): boolean {
  const query = trigger.type === 'prometheus' ? queryOf(trigger) : undefined;
  const expression = query === undefined ? undefined : parsePromql(query).expression;
  const metrics = expression === undefined ? [] : metricsOf(expression);
  return metrics.length > 0 && metrics.every((metric) => LLM_METRIC_NAMES.has(metric));
}

export const prometheusRules: readonly Rule[] = [queryValid, queryGivesOne, firstReplica];

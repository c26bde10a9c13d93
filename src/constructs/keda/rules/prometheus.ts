/**
 * KE10 and KE25: the queries of Prometheus triggers, and whether what they ask can start the first replica.
 */
import { type Rule } from '../../../checks/rules/rule';
import { asString } from '../../../manifests/read';
import { describeProblem, hasOneElement, metricsOf, parsePromql, typeOf } from '../../../facts/promql';
import { isResourceTrigger, KEDA_PROJECT } from '../keda-facts';
import { LLM_METRIC_NAMES } from '../llm-servers';
import { scaledObjectRule, scalesToZero, triggerRule, type TriggerView } from './view';

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
    summary: 'The query of a Prometheus trigger must be valid PromQL that returns an instant vector.',
    why: 'Prometheus rejects an invalid query, and KEDA cannot read a scalar, a string, or a range: every poll fails, and the workload is not scaled.',
    source: `${SCALER}; Prometheus, promql/parser`,
    fix: 'Set metadata.query to a valid PromQL expression that returns an instant vector.',
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
      yield { path, message: `the query is not valid PromQL: ${describeProblem(query, problem)}`, found: query };
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
        type === 'matrix'
          ? 'the query returns a range vector, but KEDA reads only an instant vector'
          : `the query returns a ${type}, but KEDA reads only an instant vector`,
      found: query,
      expected: 'an instant vector',
      ...(type === 'scalar' ? { fix: `Set metadata.query to vector(${query.trim()}).` } : {}),
    };
  },
);

const queryGivesOne = triggerRule(
  {
    id: 'keda/prometheus-query-gives-one-value',
    row: 'KE10',
    tier: 'advice',
    severity: 'warning',
    summary: 'The query of a Prometheus trigger should return one value, for any number of series.',
    why: 'KEDA treats several values as an error ("returned multiple elements"): the query works with one pod and fails with the second one, when it is needed.',
    source: SCALER,
    fix: 'Wrap metadata.query in sum(…), max(…), or another aggregation that has no "by" or "without" clause.',
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
      message: 'the query returns one value per series, but KEDA reports an error for more than one value',
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
    summary: 'A target that scales to zero should have a trigger whose value does not come from the target itself.',
    why: 'Servers that do not run expose no queue and no cache: the value stays at zero, and the first replica never starts.',
    source: `${SCALER}; metrics of vLLM, SGLang, TGI and Triton`,
    fix: 'Set minReplicaCount: 1, or add a trigger whose metric does not come from the target, such as the request rate of the gateway.',
    concerns: ['triggers'],
  },
  function* (view) {
    const starters = view.triggers.filter(({ type }) => !isResourceTrigger(type));
    if (!scalesToZero(view) || starters.length === 0 || !starters.every(asksTheServers)) {
      return;
    }
    yield {
      path: starters[0].path,
      message: 'all triggers read metrics of the target itself, so at zero replicas nothing starts the first replica',
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

/**
 * Manifests in which rules of monitoring are tested, and what the rules find there.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf, rulesFiring } from '../../support/findings';

/** Ids of the rules that fire, without their domain. */
export const fires = (yaml: string): readonly string[] =>
  rulesFiring(yaml, monitoringRules).map((id) => id.replace('monitoring/', ''));
/** Messages of the findings. */
export const said = (yaml: string): readonly string[] =>
  findingsOf(yaml, monitoringRules).map(({ message }) => message);

/** A PrometheusRule with one group of rules. */
export const rules = (...list: readonly string[]): string => `
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: gpu, namespace: gpu-operator }
spec:
  groups:
  - name: gpu
    rules:
${list
  .map((rule) =>
    rule
      .split('\n')
      .map((line, index) => `    ${index === 0 ? '- ' : '  '}${line}`)
      .join('\n'),
  )
  .join('\n')}
`;
/** A PrometheusRule with one alert. */
export const alert = (expr: string, more = ''): string =>
  rules(`alert: A\nexpr: |-\n  ${expr}${more === '' ? '' : `\n${more}`}`);
/** A ConfigMap with a file. */
export const file = (text: string, key = 'rules.yaml'): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: rules }
data:
  ${key}: |
${text
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`;
/** The ConfigMap that lists the fields of the DCGM exporter; to be appended to other manifests. */
export const counters = (...fields: readonly string[]): string => `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: counters, namespace: gpu-operator }
data:
  dcgm-metrics.csv: |
${fields.map((field) => `    ${field}, gauge, help`).join('\n')}
`;

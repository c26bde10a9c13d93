/**
 * AlertRoutes: which alerts go to whom.
 */
import { App, Chart, Duration } from 'cdk8s';
import { NODE_AGENT_ALERTS, NodeAgent } from '../../../src/constructs/agent';
import { AlertReceiver, AlertRoutes, type AlertRoutesProps, PrometheusRule } from '../../../src/constructs/monitoring';
import { type JsonObject } from '../../../src/facts/api/schema';
import { check } from '../../../src/interfaces/checks';
import { Testing } from '../../../src/interfaces/testing';
import { manifestsOf } from '../../../src/manifests/constructs';
import { asArray, asObject } from '../../../src/manifests/read';

const slack = AlertReceiver.slack({ channel: '#gpu', apiUrl: { secret: 'alerting', key: 'slack' } });

function routes(props: Partial<AlertRoutesProps> = {}, late = false): JsonObject {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'monitoring' });
  const agent = new NodeAgent(chart, 'agent');
  new AlertRoutes(chart, 'routes', { rules: [agent.alerts!], receiver: slack, ...props });
  if (late) {
    agent.alerts!.addGroup('more', { alert: 'Late (1.5x)', expr: 'vector(1)', summary: 's' });
  }
  const objects = Testing.synth(app);
  return asObject(objects.find(({ kind }) => kind === 'AlertmanagerConfig')?.spec);
}

test('the alerts of the rules, and no others, in groups by alert and namespace', () => {
  const { route, receivers } = routes();
  expect(route).toEqual({
    receiver: 'default',
    groupBy: ['alertname', 'namespace'],
    groupWait: '30s',
    groupInterval: '5m',
    repeatInterval: '4h',
    matchers: [
      {
        name: 'alertname',
        matchType: '=~',
        value: NODE_AGENT_ALERTS.map(({ alert }) => alert)
          .sort()
          .join('|'),
      },
    ],
  });
  expect(receivers).toEqual([
    {
      name: 'default',
      slackConfigs: [{ channel: '#gpu', apiURL: { name: 'alerting', key: 'slack' }, sendResolved: true }],
    },
  ]);
});

test('an alert that is added later is routed, and its name is no pattern', () => {
  const [{ value }] = asArray(asObject(routes({}, true).route).matchers).map(asObject);
  const pattern = new RegExp(`^(?:${value as string})$`);
  expect(pattern.test('Late (1.5x)')).toBe(true);
  expect(pattern.test('Late 1x5x')).toBe(false);
});

test('severities have receivers of their own', () => {
  const { route, receivers } = routes({
    bySeverity: {
      critical: AlertReceiver.pagerDuty({ routingKey: { secret: 'alerting', key: 'pagerduty' } }),
      info: AlertReceiver.webhook({ url: 'http://hook.monitoring:9000/', token: { secret: 'alerting', key: 'hook' } }),
    },
    repeatInterval: Duration.minutes(30),
  });
  expect(asObject(route).repeatInterval).toBe('1800s');
  expect(asObject(route).routes).toEqual([
    { receiver: 'critical', matchers: [{ name: 'severity', matchType: '=', value: 'critical' }] },
    { receiver: 'info', matchers: [{ name: 'severity', matchType: '=', value: 'info' }] },
  ]);
  expect(asArray(receivers).slice(1)).toEqual([
    {
      name: 'critical',
      pagerdutyConfigs: [{ routingKey: { name: 'alerting', key: 'pagerduty' }, sendResolved: true }],
    },
    {
      name: 'info',
      webhookConfigs: [
        {
          url: 'http://hook.monitoring:9000/',
          sendResolved: true,
          httpConfig: { authorization: { credentials: { name: 'alerting', key: 'hook' } } },
        },
      ],
    },
  ]);
});

test('routes without rules are refused', () => {
  expect(() => routes({ rules: [] })).toThrow('rules must not be empty');
});

test('the object has no finding', () => {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'monitoring' });
  const rule = new PrometheusRule(chart, 'rule').addGroup('g', { alert: 'A', expr: 'vector(1)', summary: 's' });
  new AlertRoutes(chart, 'routes', { rules: [rule], receiver: slack, bySeverity: { critical: slack } });
  expect(check(manifestsOf(app)).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});

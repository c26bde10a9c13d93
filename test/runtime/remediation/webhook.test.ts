/**
 * Alerts as causes: who may send them, what is believed of them, and what survives.
 */
import { writeFileSync } from 'node:fs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { DEFAULT_REMEDIATION, type RemediationSettings } from '../../../src/planning/remediation';
import { alertsAt, readAlerts, takeAlerts, type FiringAlerts } from '../../../src/runtime/remediation/alerts';
import { until } from '../fake-server';
import { firing, Rig, rounds, SETTINGS, TOKEN } from './rig';

const HOUR = 3_600_000;

describe('the webhook', () => {
  let rig: Rig;
  beforeEach(() => {
    rig = new Rig();
    rig.nodes('n-0', 'n-1', 'n-2');
  });
  afterEach(() => rig.stop());

  const isRequested = (name: string): boolean => rig.annotation(name, 'gantry.dev/repair-requested') === 'true';

  test.each([
    ['no token', ''],
    ['another token', 'other'],
    ['a part of the token', TOKEN.slice(1)],
    ['a longer token', `${TOKEN}x`],
  ])('refuses %s', async (_, token) => {
    await rig.start();
    expect(await rig.alert(firing('Fire', { node: 'n-0' }), token)).toBe(401);
    await rounds();
    expect(isRequested('n-0')).toBe(false);
  });

  test('an alert is a cause until it is resolved', async () => {
    await rig.start();
    expect(await rig.alert(firing('Fire', { node: 'n-2' }))).toBe(200);
    await until(() => isRequested('n-2'));
    expect(await rig.alert(firing('Fire', { node: 'n-2' }, 'resolved'))).toBe(200);
    await until(() => !isRequested('n-2'));
  });

  test('two alerts that differ in a label that no rule reads are both a cause', async () => {
    await rig.start();
    await rig.alert(firing('Fire', { node: 'n-2', gpu: '0' }));
    await rig.alert(firing('Fire', { node: 'n-2', gpu: '1' }));
    await until(() => isRequested('n-2'));
    await rig.alert(firing('Fire', { node: 'n-2', gpu: '0' }, 'resolved'));
    await rounds();
    expect(isRequested('n-2')).toBe(true);
    await rig.alert(firing('Fire', { node: 'n-2', gpu: '1' }, 'resolved'));
    await until(() => !isRequested('n-2'));
  });

  test('what fires survives a restart, and reaches the leader through another replica', async () => {
    const [first, second] = [await rig.start({ leaderElection: true }), await rig.start({ leaderElection: true })];
    await until(() => rig.log.some(({ msg, holds }) => msg === 'lease' && holds === true));
    const leads = (await rig.status(first)).leads ? first : second;
    const standby = leads === first ? second : first;
    expect(await rig.alert(firing('Fire', { node: 'n-2' }), TOKEN, standby)).toBe(200);
    await until(() => isRequested('n-2'));
    await first.stop('it ends');
    await second.stop('it ends');
    await rig.start();
    await rounds();
    expect(isRequested('n-2')).toBe(true);
  });

  test('Alertmanager sends again what could not be kept', async () => {
    await rig.start();
    rig.server.trouble = ({ method }) => (method === 'PUT' ? 500 : undefined);
    expect(await rig.alert(firing('Fire', { node: 'n-2' }))).toBe(503);
    rig.server.trouble = () => undefined;
    let conflicts = 0;
    rig.server.trouble = ({ method }) => (method === 'PUT' && conflicts++ < 3 ? 409 : undefined);
    expect(await rig.alert(firing('Fire', { node: 'n-2' }))).toBe(200);
    await until(() => isRequested('n-2'));
  });

  test.each<readonly [string, number, string]>([
    ['no JSON', 400, '{'],
    ['no notification', 400, '{"no":"alerts"}'],
    ['alerts that are no list', 400, '{"alerts":{}}'],
    [
      'alerts that make no sense',
      200,
      '{"alerts":[null,5,"x",[],{"labels":"x"},{"labels":{"alertname":5,"node":{}}}]}',
    ],
    ['five megabytes', 413, `{"alerts":[{"labels":{"x":"${'x'.repeat(5 * 2 ** 20)}"}}]}`],
  ])('%s: %d', async (_, status, body) => {
    await rig.start();
    const response = await fetch(`http://127.0.0.1:${rig.programs[0].port}/alerts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body,
    }).catch(() => ({ status: 413 }));
    expect(response.status).toBe(status);
    expect((await rig.get('/healthz')).status).toBe(200);
  });

  test('alerts that no rule names leave no trace in the cluster', async () => {
    await rig.start();
    const alerts = Array.from({ length: 3000 }, (_, index) => ({
      status: 'firing',
      labels: { alertname: 'Water', node: `n-${index}` },
    }));
    expect(await rig.alert({ alerts })).toBe(200);
    expect(rig.server.writes(/configmaps/)).toEqual([]);
    expect(await rig.metric('gantry_remediation_alerts_total{outcome="ignored"}')).toBe(3000);
  });

  test('without a rule that an alert causes, no ConfigMap is needed', async () => {
    rig.server.trouble = ({ path }) => (path.includes('configmaps') ? 403 : undefined);
    await rig.start({ settings: { ...SETTINGS, rules: SETTINGS.rules.filter(({ name }) => name !== 'fire') } });
    await until(() => rig.server.openWatches > 0);
    await rounds();
    expect((await rig.get('/readyz')).status).toBe(200);
    expect(await rig.alert(firing('Fire', { node: 'n-0' }))).toBe(200);
  });

  test('follows the token of its file', async () => {
    await rig.start();
    writeFileSync(rig.tokenFile, 'rotated');
    expect(await rig.alert(firing('Fire', { node: 'n-0' }))).toBe(401);
    expect(await rig.alert(firing('Fire', { node: 'n-0' }), 'rotated')).toBe(200);
  });

  test('keeps the names of nodes and alerts only, however long the other labels are', async () => {
    await rig.start();
    await rig.alert(firing('Fire', { node: 'n-2', secret: 'hunter2', long: 'x'.repeat(100_000) }));
    const kept = rig.server.store.get('v1', 'configmaps', 'gantry-remediation/gantry-remediation-alerts');
    const text = asString(asObject(kept?.data).alerts) ?? '';
    expect(text).toContain('"labels":{"node":"n-2"}');
    expect(text).not.toContain('hunter2');
    expect(text.length).toBeLessThan(300);
  });
});

describe('the alerts that fire', () => {
  const settings: RemediationSettings = {
    ...DEFAULT_REMEDIATION,
    rules: [{ name: 'fire', cause: { alert: 'Fire' }, afterSeconds: 0, actions: ['taint'] }],
  };
  const take = (firingNow: FiringAlerts, labels: JsonObject, now = 0): FiringAlerts =>
    takeAlerts(firingNow, { alerts: [{ status: 'firing', labels }] }, now, settings)!.firing;
  const one = take(new Map(), { alertname: 'Fire', node: 'n' });

  test('end when they are not repeated for five hours', () => {
    expect(alertsAt(one, 5 * HOUR)).toHaveLength(1);
    expect(alertsAt(one, 5 * HOUR + 1)).toHaveLength(0);
    const repeated = take(one, { alertname: 'Fire', node: 'n' }, 4 * HOUR);
    expect(alertsAt(repeated, 8 * HOUR)).toEqual([{ name: 'Fire', labels: { node: 'n' }, held: 8 * HOUR }]);
    expect(take(one, { alertname: 'Fire', node: 'm' }, 6 * HOUR).size).toBe(1);
  });

  test('stay if the clock is set back', () => {
    expect(alertsAt(one, -HOUR)).toEqual([{ name: 'Fire', labels: { node: 'n' }, held: -HOUR }]);
  });

  test('are at most 2,000, and those that fire already are repeated and resolved', () => {
    const alerts = Array.from({ length: 5000 }, (_, index) => ({
      status: 'firing',
      labels: { alertname: 'Fire', node: `n-${index}` },
    }));
    const taken = takeAlerts(new Map(), { alerts }, 0, settings)!;
    expect([taken.firing.size, taken.taken, taken.ignored]).toEqual([2000, 2000, 3000]);
    expect(takeAlerts(taken.firing, { alerts: [alerts[0]] }, 1, settings)!.taken).toBe(1);
    const resolved = { ...alerts[0], status: 'resolved' };
    expect(takeAlerts(taken.firing, { alerts: [resolved] }, 1, settings)!.firing.size).toBe(1999);
  });

  test.each(['{', '[]', 'null', '{"a":5}', '{"a":{"name":5,"since":0,"seen":0}}', '{"a":{"name":"x","since":"0"}}'])(
    'are none in a ConfigMap with %s',
    (text) => expect(readAlerts(text).size).toBe(0),
  );
});

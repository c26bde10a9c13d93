/**
 * Alerts as causes: who may send them, what is believed of them, and what survives.
 */
import { writeFileSync } from 'node:fs';
import { type JsonObject } from '../../../src/facts/api/schema';
import { asObject, asString } from '../../../src/manifests/read';
import { DEFAULT_REMEDIATION, type RemediationSettings } from '../../../src/planning/remediation';
import {
  alertsAt,
  alertsText,
  type FiringAlerts,
  readAlerts,
  readNotification,
  takeAlerts,
  type TakenAlerts,
} from '../../../src/runtime/remediation/alerts';
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
    ['seventeen megabytes', 413, `{"alerts":[{"labels":{"x":"${'x'.repeat(17 * 2 ** 20)}"}}]}`],
    ['more values than a notification has', 413, `{"alerts":[${'[],'.repeat(500_001)}0]}`],
    ['lists in lists', 400, '['.repeat(900_000)],
    ['alerts in lists in lists', 200, `{"alerts":[${'['.repeat(400_000)}${']'.repeat(400_000)}]}`],
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
  const taking = (firingNow: FiringAlerts, alerts: readonly JsonObject[], now = 0): TakenAlerts =>
    takeAlerts(firingNow, readNotification({ alerts: [...alerts] }, settings)!.alerts, now);
  const take = (firingNow: FiringAlerts, labels: JsonObject, now = 0): FiringAlerts =>
    taking(firingNow, [{ status: 'firing', labels }], now).firing;
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
    const taken = taking(new Map(), alerts);
    expect([taken.firing.size, taken.taken, taken.ignored]).toEqual([2000, 2000, 3000]);
    expect(taking(taken.firing, [alerts[0]], 1).taken).toBe(1);
    const resolved = { ...alerts[0], status: 'resolved' };
    expect(taking(taken.firing, [resolved], 1).firing.size).toBe(1999);
  });

  test('fit into a ConfigMap, however long the names of their nodes are', () => {
    const alerts = Array.from({ length: 10_000 }, (_, index) => ({
      status: 'firing',
      labels: { alertname: 'Fire', node: `${index}`.padEnd(256, '\u20ac') },
    }));
    const { firing: fire, taken } = taking(new Map(), alerts);
    expect(taken).toBeGreaterThan(500);
    expect(Buffer.byteLength(alertsText(fire))).toBeLessThan(950_000);
    // Those that are kept can be repeated and resolved.
    expect(taking(fire, [alerts[0]], 1)).toMatchObject({ taken: 1 });
    expect(taking(fire, [{ ...alerts[0], status: 'resolved' }], 1).firing.size).toBe(taken - 1);
  });

  test('about nodes that do not exist are no alerts, unless they are resolved', () => {
    const isNode = (name: string): boolean => name === 'n';
    const read = (status: string, node: string): unknown => {
      const found = readNotification({ alerts: [{ status, labels: { alertname: 'Fire', node } }] }, settings, isNode)!;
      return [found.alerts.length, found.ignored];
    };
    expect([read('firing', 'n'), read('firing', 'm'), read('resolved', 'm')]).toEqual([
      [1, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  test.each(['{', '[]', 'null', '{"a":5}', '{"a":{"name":5,"since":0,"seen":0}}', '{"a":{"name":"x","since":"0"}}'])(
    'are none in a ConfigMap with %s',
    (text) => expect(readAlerts(text).size).toBe(0),
  );
});

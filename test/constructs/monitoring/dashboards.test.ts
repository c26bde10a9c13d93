/**
 * Rules about the dashboards of Grafana.
 */
import { counters, fires, said } from './manifests';

describe('dashboards', () => {
  const board = (json: object, label = 'grafana_dashboard: "1"'): string => `
apiVersion: v1
kind: ConfigMap
metadata: { name: board, labels: { ${label} } }
data:
  board.json: '${JSON.stringify(json).replaceAll("'", "''")}'
`;
  const panel = (expr: string, id = 1, datasource: unknown = { type: 'prometheus', uid: 'x' }): object => ({
    id,
    title: `p${id}`,
    type: 'timeseries',
    datasource,
    targets: [{ expr }],
  });

  test('what is none', () => {
    expect(fires(board({ dashboard: { title: 'x', panels: [] } }))).toEqual(['dashboard-is-one']);
    expect(fires(board({ panels: [] }))).toEqual(['dashboard-is-one']);
    expect(fires(board({ title: 'x', panels: [] }).replace("}'", "'"))).toEqual(['dashboard-is-one']);
    expect(fires(board({ panels: [] }, 'app: other'))).toEqual([]);
  });

  test.each(['null # "panels": []', '- "panels": []', '"\\"panels\\": []"', '{"panels": ['])(
    'the text %s of a ConfigMap is none, and has no findings',
    (text) => {
      expect(fires(board({}, 'app: other').replace("'{}'", JSON.stringify(text)))).toEqual([]);
    },
  );

  test('queries that are not PromQL, and panels with one id', () => {
    expect(said(board({ title: 'x', panels: [panel('rate(x)')] }))).toEqual([
      expect.stringContaining('the query of the panel "p1" is invalid: rate requires a range vector'),
    ]);
    expect(
      fires(board({ title: 'x', panels: [{ id: 1, type: 'row', panels: [panel('up', 2)] }, panel('up', 2)] })),
    ).toEqual(['dashboard-panel-ids-unique']);
  });

  test.each([
    'sum(rate(x{node=~"$node"}[$__rate_interval])) by (pod)',
    'topk($limit, x)',
    'rate(x[${interval}])',
    '$metric > 1',
    'sum by ($group) (x)',
    'x{a="${b:regex}"}',
    '[[agg]](x)',
    'quantile(0.$q, x)',
    'x offset $shift',
  ])('%s may be one, whatever the variables are', (expr) => {
    expect(fires(board({ title: 'x', panels: [panel(expr)] }))).toEqual([]);
  });

  test('queries of other sources are not judged', () => {
    expect(
      fires(
        board({
          title: 'x',
          panels: [panel('sum(rate({app="x"} |= "e" [5m]))', 1, { type: 'loki' }), panel('{app="x"} |= "e"', 2, null)],
        }),
      ),
    ).toEqual([]);
  });

  test('what they read of DCGM counts too', () => {
    expect(
      fires(board({ title: 'x', panels: [panel('DCGM_FI_DEV_ECC_SBE_AGG_TOTAL')] }) + counters('DCGM_FI_DEV_GPU_TEMP')),
    ).toEqual(['dcgm-metric-collected']);
  });
});

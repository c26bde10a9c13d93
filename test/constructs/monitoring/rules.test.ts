/**
 * What each rule of monitoring says, and where it is silent.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf, rulesFiring } from '../../support/findings';

const fires = (yaml: string): readonly string[] =>
  rulesFiring(yaml, monitoringRules).map((id) => id.replace('monitoring/', ''));
const said = (yaml: string): readonly string[] => findingsOf(yaml, monitoringRules).map(({ message }) => message);

/** A PrometheusRule with one group of rules. */
const rules = (...list: readonly string[]): string => `
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
const alert = (expr: string, more = ''): string =>
  rules(`alert: A\nexpr: |-\n  ${expr}${more === '' ? '' : `\n${more}`}`);
const file = (text: string, key = 'rules.yaml'): string => `
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
const counters = (...fields: readonly string[]): string => `
---
apiVersion: v1
kind: ConfigMap
metadata: { name: counters, namespace: gpu-operator }
data:
  dcgm-metrics.csv: |
${fields.map((field) => `    ${field}, gauge, help`).join('\n')}
`;

describe('expressions', () => {
  test.each([
    ['rate(istio_requests_total{mesh="legacy"}[5m]) ≈ rate(istio_requests_total{mesh="ebpf"}[5m])', 'unexpected "≈"'],
    ['rate(http_requests_total) > 1', 'rate requires a range vector such as metric[5m]'],
    ['sum(rate(x[5m])', 'unexpected end of the expression'],
    ['avgovertime(x[5m]) > 1', 'did you mean avg_over_time?'],
    ['1 > 2', 'requires bool after the operator'],
  ])('%s is refused', (expr, message) => {
    expect(fires(alert(expr))).toEqual(['expression-valid']);
    expect(said(alert(expr)).join()).toContain(message);
  });

  test('what is experimental is a warning', () => {
    const [finding] = findingsOf(alert('mad_over_time(x[5m]) > 1'), monitoringRules);
    expect(finding).toMatchObject({ rule: 'monitoring/expression-valid', severity: 'warning', tier: 'webhook' });
  });

  test('in a rule file of a ConfigMap too, with the alert in the message', () => {
    const text = 'groups:\n- name: a\n  rules:\n  - alert: Hot\n    expr: sum(x[5m]) > 1';
    expect(findingsOf(file(text), monitoringRules)).toMatchObject([
      {
        rule: 'monitoring/expression-valid',
        path: '/data/rules.yaml',
        message: expect.stringContaining(
          'the expression of the alert "Hot" is invalid: sum requires an instant vector',
        ) as string,
      },
    ]);
  });

  test('silent for good ones, numbers, LogQL and charts', () => {
    expect(fires(alert('sum by (node) (rate(x[5m])) > 0.5'))).toEqual([]);
    expect(fires(rules('record: one\nexpr: 1'))).toEqual([]);
    expect(
      fires(
        file('groups:\n- name: a\n  rules:\n  - alert: Errors\n    expr: sum(rate({app="web"} |= "error" [5m])) > 1'),
      ),
    ).toEqual([]);
    expect(
      fires(
        file(
          'groups:\n{{- range .Values.groups }}\n- name: {{ . }}\n  rules:\n  - alert: X\n    expr: a +\n{{- end }}',
        ),
      ),
    ).toEqual([]);
  });
});

describe('the shape of rules', () => {
  test.each([
    ['an alert and a recording', rules('alert: A\nrecord: a\nexpr: up')],
    ['neither', rules('expr: up')],
    ['no expression', rules('alert: A')],
    ['a recording with for', rules('record: a\nexpr: up\nfor: 5m')],
    ['a recording with annotations', rules('record: a\nexpr: up\nannotations: { summary: x }')],
    ['a recording with braces in its name', rules('record: "a{b=c}"\nexpr: up')],
  ])('%s', (_, yaml) => {
    expect(fires(yaml)).toEqual(['rule-is-alert-or-recording']);
  });

  test('a number that 32 bits do not hold is no expression in an object of Kubernetes, and one in a file', () => {
    expect(fires(rules('alert: A\nexpr: 2147483648'))).toEqual(['rule-is-alert-or-recording']);
    expect(fires(rules('alert: A\nexpr: -2147483648'))).toEqual([]);
    expect(fires(file('groups:\n- name: a\n  rules:\n  - alert: A\n    expr: 2147483648'))).toEqual([]);
  });

  test('a recording with for: 0s is one', () => {
    expect(fires(rules('record: a:b:sum\nexpr: sum(a)\nfor: 0s\nlabels: { team: a }'))).toEqual([]);
  });

  test('labels that cannot be set', () => {
    expect(fires(rules('alert: A\nexpr: up\nlabels: { __name__: x }'))).toEqual(['rule-label-named']);
    expect(fires(rules('alert: A\nexpr: up\nlabels: { "with.dots": x }\nannotations: { __name__: x }'))).toEqual([]);
  });

  test('durations and names of groups in rule files', () => {
    const rule = '\n  rules:\n  - alert: A\n    expr: up == 0';
    expect(fires(file(`groups:\n- name: a\n  interval: 1 minute${rule}\n    for: 5min`))).toEqual([
      'rule-durations-valid',
    ]);
    expect(fires(file(`groups:\n- name: a${rule}\n- name: a${rule}`))).toEqual([
      'group-named-once',
      'rule-stated-once',
    ]);
    expect(
      fires(
        file(
          `groups:\n- name: a\n  interval: 1m30s${rule}\n    for: 5m\n- name: b\n  rules:\n  - record: x\n    expr: up`,
        ),
      ),
    ).toEqual([]);
  });

  test('a rule stated twice, unless a label tells the two apart', () => {
    expect(fires(rules('alert: A\nexpr: a > 1', 'alert: A\nexpr: b > 1'))).toEqual(['rule-stated-once']);
    expect(
      fires(
        rules(
          'alert: A\nexpr: a > 1\nlabels: { severity: warning }',
          'alert: A\nexpr: a > 2\nlabels: { severity: critical }',
        ),
      ),
    ).toEqual([]);
    expect(fires(rules('alert: A\nexpr: a > 1', 'record: A\nexpr: a'))).toEqual([]);
  });

  test('a rule file that is no YAML', () => {
    expect(fires(file('groups:\n- name: a\n  rules:\n  - alert: A\n    expr: {a="b"} > 1'))).toEqual([
      'rule-file-readable',
    ]);
  });

  test('more rules than fit into an object', () => {
    const many = Array.from(
      { length: 3000 },
      (_, index) => `record: r${index}\nexpr: sum by (${'label_'.repeat(25)}) (x)`,
    );
    expect(fires(rules(...many))).toEqual(['rule-object-size']);
    expect(fires(rules(...many.slice(0, 1000)))).toEqual([]);
  });
});

describe('templates', () => {
  const annotated = (text: string, expr = 'up == 0'): string =>
    alert(expr, `annotations:\n  summary: '${text.replaceAll("'", "''")}'`);

  test.each([
    ['{{ $labels.node', 'unclosed action'],
    ['{{ $value | humanise }}', 'function "humanise" not defined'],
    ['{{ $label.node }}', 'undefined variable "$label"'],
    ['{{ if $value }} x', 'unexpected EOF'],
    ['{{ end }}', 'unexpected {{end}}'],
  ])('%s is refused', (text, message) => {
    expect(fires(annotated(text))).toEqual(['template-valid']);
    expect(said(annotated(text)).join()).toContain(message);
  });

  test.each([
    '{{ $labels.node }} is down',
    '{{ .Value | humanizePercentage }}',
    '{{ with query "up{job=\\"}}\\"}" }}{{ . | first | value }}{{ end }}',
    '{{ range $i, $x := query "up" }}{{ $i }}{{ $x.Value }}{{ else }}none{{ end }}',
    '{{ if gt $value 0.5 }}much{{ else if eq .Labels.job "a" }}b{{ end }}',
    '{{- /* a comment */ -}}',
    '{{ printf "%.2f" $value }}',
    '{{ define "t" }}x{{ end }}{{ template "t" . }}',
    'no template at all {',
  ])('%s is taken', (text) => {
    expect(fires(annotated(text))).toEqual([]);
  });

  test('a label that the expression sums away', () => {
    const yaml = annotated(
      'GPU {{ $labels.gpu }} of {{ .Labels.node }}: {{ index $labels "pod" }}',
      'sum by (node) (x) > 1',
    );
    expect(fires(yaml)).toEqual(['template-label-survives']);
    expect(findingsOf(yaml, monitoringRules).map(({ found, expected }) => [found, expected])).toEqual([
      ['gpu', 'node'],
      ['pod', 'node'],
    ]);
    expect(
      fires(
        annotated('{{ $labels.node }} {{ $labels.model }}', 'sum by (node) (x) * on(node) group_left(model) y > 1'),
      ),
    ).toEqual([]);
    expect(fires(annotated('{{ $labels.job }}', 'absent(up{job="a"})'))).toEqual([]);
    expect(fires(annotated('{{ $labels.job }}', 'absent(up{job=~"a"})'))).toEqual(['template-label-survives']);
  });
});

describe('metrics of DCGM', () => {
  test('one that the list of counters beside the alert does not have', () => {
    const expr = 'increase(DCGM_FI_DEV_ECC_SBE_AGG_TOTAL[1h]) > 0';
    expect(fires(alert(expr) + counters('DCGM_FI_DEV_GPU_TEMP'))).toEqual(['dcgm-metric-collected']);
    expect(fires(alert(expr) + counters('DCGM_FI_DEV_ECC_SBE_AGG_TOTAL'))).toEqual([]);
  });

  test('one that the list has under the name of the other generation', () => {
    const [finding] = findingsOf(
      alert('DCGM_FI_DEV_GPU_TEMP > 90') + counters('DCGM_FI_DEV_GPU_TEMP_CELSIUS'),
      monitoringRules,
    );
    expect(finding).toMatchObject({
      rule: 'monitoring/dcgm-metric-collected',
      severity: 'error',
      expected: 'DCGM_FI_DEV_GPU_TEMP_CELSIUS',
    });
  });

  test("one that is off in the exporter's own list, where there is no other", () => {
    expect(findingsOf(alert('increase(DCGM_FI_DEV_ECC_DBE_VOL_TOTAL[1h]) > 0'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-metric-collected', severity: 'warning' },
    ]);
    expect(fires(alert('DCGM_FI_DEV_GPU_TEMP > 90 or DCGM_FI_DEV_GPU_TEMP_CELSIUS > 90'))).toEqual([]);
  });

  test('one that is misspelled; an unknown one may exist', () => {
    expect(findingsOf(alert('DCGM_FI_DEV_GPU_TEMPS > 90'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-metric-known', expected: 'DCGM_FI_DEV_GPU_TEMP' },
    ]);
    expect(fires(alert('DCGM_FI_DEV_SUPPORTED_CLOCKS > 90'))).toEqual([]);
    expect(fires(alert('DCGM_FI_DEV_GPU_TEMPS > 90') + counters('DCGM_FI_DEV_GPU_TEMPS'))).toEqual([]);
  });

  test.each([
    ['rate(DCGM_FI_DEV_GPU_UTIL[5m]) > 1', 'error'],
    ['increase(kube_node_status_allocatable[5m]) > 1', 'error'],
    ['rate(DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL[5m]) > 1e9', 'warning'],
    ['avg_over_time(container_cpu_cfs_periods_total[5m]) > 1', 'warning'],
  ])('%s takes a function that does not suit', (expr, severity) => {
    expect(findingsOf(alert(expr), monitoringRules)).toMatchObject([
      { rule: 'monitoring/function-suits-metric-type', severity },
    ]);
  });

  test.each([
    'avg_over_time(DCGM_FI_DEV_GPU_UTIL[5m]) > 10',
    'rate(container_cpu_cfs_periods_total[5m]) > 1',
    'rate(some_gauge_of_mine[5m]) > 1',
    'changes(DCGM_FI_DEV_GPU_TEMP[5m]) > 1',
  ])('%s is right', (expr) => {
    expect(fires(alert(expr))).toEqual([]);
  });

  test.each([
    ['DCGM_FI_DEV_GPU_UTIL > 100', 'never', 'error'],
    ['avg by (node) (DCGM_FI_PROF_GR_ENGINE_ACTIVE) > 90', 'never', 'error'],
    ['30 > avg_over_time(DCGM_FI_PROF_SM_ACTIVE[10m])', 'always', 'error'],
    ['DCGM_FI_DEV_FB_USED_PERCENT > 90', 'never', 'error'],
    ['DCGM_FI_DEV_GPU_UTIL_RATIO > 90', 'never', 'error'],
    ['DCGM_FI_DEV_GPU_UTIL < 0.3', 'percent', 'warning'],
    ['DCGM_FI_DEV_FB_USED > 90', 'MiB', 'warning'],
    ['max(DCGM_FI_DEV_FB_USED_BYTES) > 0.9', 'bytes', 'warning'],
  ])('%s compares in the wrong unit', (expr, message, severity) => {
    const found = findingsOf(alert(expr), monitoringRules).filter(
      ({ rule }) => rule === 'monitoring/comparison-in-unit',
    );
    expect(found).toMatchObject([{ severity, message: expect.stringContaining(message) as string }]);
  });

  test.each([
    'DCGM_FI_DEV_GPU_UTIL > 95',
    'DCGM_FI_PROF_GR_ENGINE_ACTIVE < 0.05',
    'DCGM_FI_DEV_ROW_REMAP_FAILURE > 0',
    'DCGM_FI_DEV_FB_FREE < 100',
    'DCGM_FI_DEV_FB_USED > 60000',
    'DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.9',
    'sum(DCGM_FI_PROF_GR_ENGINE_ACTIVE) > 4',
    '(DCGM_FI_DEV_MEMORY_TEMP < 200) > 95',
    'DCGM_FI_PROF_GR_ENGINE_ACTIVE * 100 > 90',
    'DCGM_FI_DEV_GPU_UTIL > bool 200',
  ])('%s compares in its unit', (expr) => {
    expect(fires(alert(expr)).filter((rule) => rule === 'comparison-in-unit')).toEqual([]);
  });

  test('the last XID as a value', () => {
    expect(fires(alert('DCGM_FI_DEV_XID_ERRORS > 0'))).toEqual(['last-xid-not-compared']);
    expect(fires(alert('changes(DCGM_FI_DEV_XID_ERRORS[10m]) > 0'))).toEqual([]);
    expect(fires(alert('DCGM_FI_DEV_XID_ERRORS == 79'))).toEqual([]);
  });
});

describe('monitors', () => {
  const monitor = (endpoint: string, selector = '{ matchLabels: { app: server } }'): string => `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: server, namespace: web, labels: { release: prometheus } }
spec:
  selector: ${selector}
  endpoints: [${endpoint}]
`;
  const service = (labels: string, port = 'metrics'): string => `
---
apiVersion: v1
kind: Service
metadata: { name: server, namespace: web, labels: ${labels} }
spec: { selector: { app: server }, ports: [{ name: ${port}, port: 9100 }] }
`;

  test('two ways to say who one is', () => {
    expect(
      fires(
        monitor(
          '{ port: metrics, basicAuth: { username: { name: a, key: b } }, bearerTokenSecret: { name: a, key: b } }',
        ),
      ),
    ).toEqual(['monitor-one-authentication']);
    expect(
      fires(monitor('{ port: metrics, authorization: { type: Basic, credentials: { name: a, key: b } } }')),
    ).toEqual(['monitor-one-authentication']);
    expect(fires(monitor('{ port: metrics, authorization: { type: Bearer } }'))).toEqual([
      'monitor-one-authentication',
    ]);
    expect(fires(monitor('{ port: metrics, authorization: { credentials: { name: a, key: b } } }'))).toEqual([]);
  });

  test('a timeout longer than the interval', () => {
    expect(fires(monitor('{ port: metrics, interval: 15s, scrapeTimeout: 1m }'))).toEqual([
      'scrape-timeout-within-interval',
    ]);
    expect(fires(monitor('{ port: metrics, interval: 1m, scrapeTimeout: 60s }'))).toEqual([]);
    expect(fires(monitor('{ port: metrics, scrapeTimeout: 1m }'))).toEqual([]);
    const prometheus =
      '\n---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: { name: p, namespace: web }\nspec: { serviceMonitorSelector: {} }\n';
    expect(fires(monitor('{ port: metrics, scrapeTimeout: 1m }') + prometheus)).toEqual([
      'scrape-timeout-within-interval',
    ]);
  });

  test('labels of pods where those of the Service are meant', () => {
    expect(fires(monitor('{ port: metrics }') + service('{ tier: web }'))).toEqual([
      'monitor-selects-services-by-their-labels',
    ]);
    expect(fires(monitor('{ port: metrics }') + service('{ app: server }'))).toEqual([]);
    expect(fires(monitor('{ port: metrics }'))).toEqual([]);
  });

  test('a Service with the same pods and other ports is not the one that the monitor means', () => {
    const other = service('{ purpose: other }');
    expect(fires(monitor('{ port: gpu-metrics }') + other)).toEqual([]);
    expect(fires(monitor('{ targetPort: 9100 }') + other)).toEqual(['monitor-selects-services-by-their-labels']);
  });

  test('a port that the Service has not, or has under a number', () => {
    expect(findingsOf(monitor('{ port: "9100" }') + service('{ app: server }'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/monitor-port-exists', expected: 'metrics' },
    ]);
    expect(fires(monitor('{ targetPort: 9100 }') + service('{ app: server }'))).toEqual([]);
  });

  test('a port that the pods have not', () => {
    const pods = (port: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: m, namespace: web }
spec: { selector: { matchLabels: { app: s } }, podMetricsEndpoints: [{ port: ${port} }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: s, namespace: web }
spec:
  selector: { matchLabels: { app: s } }
  template: { metadata: { labels: { app: s } }, spec: { containers: [{ name: c, image: i, ports: [{ name: metrics, containerPort: 1 }] }] } }
`;
    expect(fires(pods('http'))).toEqual(['monitor-port-exists']);
    expect(fires(pods('metrics'))).toEqual([]);
  });

  test('the DCGM exporter by a label that it has not', () => {
    const dcgm = (namespace: string, app: string): string =>
      monitor('{ port: gpu-metrics }', `{ matchLabels: { app: ${app} } }`).replace(
        'namespace: web',
        `namespace: ${namespace}`,
      );
    expect(findingsOf(dcgm('gpu-operator', 'dcgm-exporter'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/dcgm-exporter-labels', severity: 'error' },
    ]);
    expect(findingsOf(dcgm('monitoring', 'dcgm-exporter'), monitoringRules)).toMatchObject([{ severity: 'warning' }]);
    expect(fires(dcgm('gpu-operator', 'nvidia-dcgm-exporter'))).toEqual([]);
  });

  describe('beside a Prometheus', () => {
    const prometheus = (spec: string): string =>
      `\n---\napiVersion: monitoring.coreos.com/v1\nkind: Prometheus\nmetadata: { name: main, namespace: monitoring }\nspec: ${spec}\n`;
    const web = '\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: web, labels: { team: a } }\n';

    test.each([
      [
        '{ serviceMonitorSelector: { matchLabels: { release: other } }, serviceMonitorNamespaceSelector: {} }',
        'selects objects by release: other',
      ],
      ['{ podMonitorSelector: {} }', 'has no serviceMonitorSelector'],
      ['{ serviceMonitorSelector: {} }', 'selects objects only in its own namespace "monitoring"'],
      [
        '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { team: b } } }',
        'selects namespaces by team: b',
      ],
    ])('%s does not pick it up', (spec, message) => {
      expect(said(monitor('{ port: metrics }') + prometheus(spec) + web)).toEqual([expect.stringContaining(message)]);
    });

    test.each([
      '{ serviceMonitorSelector: { matchLabels: { release: prometheus } }, serviceMonitorNamespaceSelector: {} }',
      '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { kubernetes.io/metadata.name: web } } }',
      '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: { matchLabels: { team: a } } }',
    ])('%s picks it up', (spec) => {
      expect(fires(monitor('{ port: metrics }') + prometheus(spec) + web)).toEqual([]);
    });

    test('scrape classes and files', () => {
      const classes = prometheus(
        '{ serviceMonitorSelector: {}, serviceMonitorNamespaceSelector: {}, arbitraryFSAccessThroughSMs: { deny: true }, scrapeClasses: [{ name: tls }] }',
      );
      expect(fires(`${monitor('{ port: metrics }').trimEnd()}\n  scrapeClass: mtls\n${classes}`)).toEqual([
        'scrape-class-exists',
      ]);
      expect(fires(`${monitor('{ port: metrics }').trimEnd()}\n  scrapeClass: tls\n${classes}`)).toEqual([]);
      expect(fires(monitor('{ port: metrics, bearerTokenFile: /var/token }') + classes)).toEqual([
        'no-file-access-where-denied',
      ]);
      expect(fires(monitor('{ port: metrics, bearerTokenFile: /var/token }'))).toEqual([]);
    });
  });
});

describe('configurations of Prometheus in ConfigMaps', () => {
  const job = (text: string): string => file(`scrape_configs:\n${text}`, 'prometheus.yml');
  const dcgm = (regex: string, namespace: string): string =>
    job(`- job_name: dcgm
  kubernetes_sd_configs: [{ role: pod, namespaces: { names: [${namespace}] } }]
  relabel_configs:
  - { source_labels: [__meta_kubernetes_pod_label_app], action: keep, regex: "${regex}" }`);

  test('a job that finds no pod of the GPU operator', () => {
    expect(findingsOf(dcgm('dcgm-exporter', 'gpu-operator'), monitoringRules)).toMatchObject([
      { rule: 'monitoring/scrape-job-finds-dcgm-exporter', severity: 'error', expected: 'nvidia-dcgm-exporter' },
    ]);
    expect(findingsOf(dcgm('dcgm-exporter', 'gpu'), monitoringRules)).toMatchObject([{ severity: 'warning' }]);
    expect(fires(dcgm('(nvidia-)?dcgm-exporter', 'gpu-operator'))).toEqual([]);
  });

  test('jobs that Prometheus refuses', () => {
    expect(fires(job('- job_name: a\n  scrape_interval: 10s\n  scrape_timeout: 20s'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- job_name: a\n- job_name: a'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- static_configs: []'))).toEqual(['scrape-job-valid']);
    expect(fires(job('- job_name: a\n  relabel_configs: [{ action: replace }]'))).toEqual(['scrape-job-valid']);
    expect(
      fires(job('- job_name: a\n  scrape_timeout: 20s\n  static_configs: [{ targets: [a:1] }]\n- job_name: b')),
    ).toEqual([]);
    expect(fires(job('- job_name: a\n x: [}'))).toEqual(['scrape-file-readable']);
  });
});

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

describe('metrics of model servers', () => {
  const metrics = (yaml: string): readonly (readonly unknown[])[] =>
    findingsOf(yaml, monitoringRules)
      .filter(({ rule }) => rule === 'monitoring/server-metric-known')
      .map(({ severity, found, expected }) => [severity, found, expected]);

  test.each([
    'vllm:num_requests_waiting > 0',
    'histogram_quantile(0.9, rate(vllm:time_to_first_token_seconds_bucket[5m])) > 1',
    'rate(vllm:prompt_tokens_total[5m]) > 0 or vllm:gpu_cache_usage_perc > 0.9',
    'rate(sglang:num_requests_total[5m]) > 0 and sglang:token_usage > 0.9',
    'tgi_queue_size > 3 or rate(tgi_request_duration_sum[5m]) > 2',
    'nv_inference_pending_request_count > 3 or nv_gpu_utilization > 0.9',
    'nv_trt_llm_request_metrics{request_type="waiting"} > 3',
    'vllm:num_requests_waiting:sum > 3',
    'my_vllm_requests > 1',
  ])('%s reads what a server exposes, or what is not its own', (expr) => {
    expect(metrics(alert(expr))).toEqual([]);
  });

  test.each([
    ['vllm:num_request_waiting > 0', 'warning', 'vllm:num_request_waiting', 'vllm:num_requests_waiting'],
    ['rate(vllm:request_success[5m]) > 0', 'warning', 'vllm:request_success', 'vllm:request_success_total'],
    ['sglang:num_queue_request > 0', 'info', 'sglang:num_queue_request', 'sglang:num_queue_reqs'],
    ['tgi_queue_sizes > 0', 'warning', 'tgi_queue_sizes', 'tgi_queue_size'],
    [
      'nv_inference_pending_requests_count > 0',
      'warning',
      'nv_inference_pending_requests_count',
      'nv_inference_pending_request_count',
    ],
    ['vllm:queue_depth_of_the_engine > 0', 'info', 'vllm:queue_depth_of_the_engine', undefined],
  ])('%s is a %s', (expr, severity, found, expected) => {
    expect(metrics(alert(expr))).toEqual([[severity, found, expected]]);
  });

  test('what a rule of the manifests records is known', () => {
    expect(
      metrics(rules('record: vllm:load\nexpr: sum(vllm:num_requests_running)', 'alert: A\nexpr: vllm:load > 3')),
    ).toEqual([]);
  });

  const misspelled = ['warning', 'vllm:num_request_waiting', 'vllm:num_requests_waiting'];

  test('in the trigger of a ScaledObject', () => {
    expect(
      metrics(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: s }
spec:
  scaleTargetRef: { name: d }
  triggers:
  - type: prometheus
    metadata: { serverAddress: http://p, threshold: '1', query: 'sum(vllm:num_request_waiting)' }
`),
    ).toEqual([misspelled]);
  });

  test('in the metrics of an autoscaler, also by the name of Google Managed Prometheus', () => {
    const autoscaler = (name: string): string => `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: h }
spec:
  maxReplicas: 3
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: d }
  metrics:
  - type: Pods
    pods: { metric: { name: '${name}' }, target: { type: AverageValue, averageValue: 1 } }
`;
    expect(metrics(autoscaler('vllm:num_request_waiting'))).toEqual([misspelled]);
    expect(metrics(autoscaler('prometheus.googleapis.com|vllm:num_request_waiting|gauge'))).toEqual([misspelled]);
    expect(metrics(autoscaler('prometheus.googleapis.com|vllm:num_requests_waiting|gauge'))).toEqual([]);
  });

  test('in a monitor that keeps metrics by name', () => {
    const monitor = (regex: string): string => `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: m }
spec:
  selector: {}
  endpoints:
  - port: http
    metricRelabelings:
    - { action: keep, sourceLabels: [__name__], regex: '${regex}' }
`;
    expect(metrics(monitor('vllm:num_requests_running|vllm:num_request_waiting'))).toEqual([misspelled]);
    expect(metrics(monitor('vllm:num_.*'))).toEqual([]);
  });

  test('in a panel of a dashboard', () => {
    const json = {
      title: 'x',
      panels: [
        {
          id: 1,
          title: 'p',
          type: 'timeseries',
          datasource: { type: 'prometheus' },
          targets: [{ expr: 'vllm:num_request_waiting{pod=~"$pod"}' }],
        },
      ],
    };
    expect(
      metrics(`
apiVersion: v1
kind: ConfigMap
metadata: { name: board, labels: { grafana_dashboard: '1' } }
data:
  board.json: '${JSON.stringify(json)}'
`),
    ).toEqual([misspelled]);
  });
});

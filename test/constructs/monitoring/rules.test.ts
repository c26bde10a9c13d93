/**
 * Rules about alerts and recordings: their expressions, their shape, and their templates.
 */
import { monitoringRules } from '../../../src/constructs/monitoring/rules';
import { findingsOf } from '../../support/findings';
import { alert, file, fires, rules, said } from './manifests';

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

import { readTemplate } from '../../../src/constructs/monitoring/rules/go-template';

/** As the documentation of Go's text/template and of Prometheus' template reference lists them. */
const FUNCTIONS = [
  ...['and', 'call', 'html', 'index', 'slice', 'js', 'len', 'not', 'or', 'print', 'printf', 'println', 'urlquery'],
  ...['eq', 'ne', 'lt', 'le', 'gt', 'ge'],
  ...['query', 'first', 'label', 'value', 'strvalue', 'sortByLabel', 'args'],
  ...['humanize', 'humanize1024', 'humanizeDuration', 'humanizePercentage', 'humanizeTimestamp', 'toTime', 'now'],
  ...['title', 'toUpper', 'toLower', 'stripPort', 'stripDomain', 'match', 'reReplaceAll', 'graphLink', 'tableLink'],
  ...['parseDuration', 'safeHtml', 'pathPrefix', 'externalURL', 'toDuration', 'parseDurationTime', 'urlQueryEscape'],
];

test.each(FUNCTIONS)('%s is a function', (name) => {
  expect(readTemplate(`{{ ${name} 1 }}`).problem).toBeUndefined();
  expect(readTemplate(`{{ ${name}x 1 }}`).problem).toContain(`${name}x`);
});

test.each([
  '{{ if true }}a{{ else if false }}b{{ else }}c{{ end }}',
  '{{ range query "up" }}{{ break }}{{ end }}',
  '{{ range query "up" }}{{ continue }}{{ end }}',
  '{{ with nil }}a{{ end }}',
  '{{ block "a" . }}b{{ end }}',
  '{{ define "a" }}b{{ end }}{{ template "a" }}',
  '{{ $value }} {{ $labels.a }} {{ $externalLabels.b }} {{ $externalURL }} {{ $ }}',
])('%s is taken', (text) => {
  expect(readTemplate(text).problem).toBeUndefined();
});

test.each(['{{ if true }}a', '{{ range . }}', '{{ with . }}', '{{ define "a" }}', '{{ block "a" . }}', '{{ $own }}'])(
  '%s is refused',
  (text) => {
    expect(readTemplate(text).problem).toBeDefined();
  },
);

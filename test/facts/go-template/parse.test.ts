import { GO_FUNCTIONS, SPRIG_FUNCTIONS, templateProblem } from '../../../src/facts/go-template';

const SCOPE = { functions: new Set([...GO_FUNCTIONS, ...SPRIG_FUNCTIONS]), variables: ['$labels'] };

test.each([
  ['text without any action'],
  ['x }} y'],
  ['{{ . }} {{.}} {{ .a.b }} {{ $.a.b }} {{ $labels.pod }}'],
  ['{{ range .pci.device }}nic-{{ .class }}=true\n{{ end }}'],
  ['{{ if gt (len .memory.nv) 0 }}a{{ else if .b }}b{{ else }}c{{ end }}'],
  ['{{ with .a }}1{{ else with .b }}2{{ end }}'],
  ['{{ range $i, $e := .x }}{{ $i }}{{ if $e }}{{ continue }}{{ end }}{{ else }}none{{ end }}'],
  ['{{ $a := 1 }}{{ $a = 2 }}{{ $a }}'],
  ['{{- "a }}" -}} {{ `b }}` }} {{ \'c\' }} {{/* d }} */}}'],
  ['{{ (index .a 0).b.c | printf "%s" | trim }}'],
  ['{{ 1.5e3 }} {{ 0x1F }} {{ -1 }} {{ 3 -}} x'],
  ['{{ define "t" }}{{ . }}{{ end }}{{ template "t" .a }}{{ block "b" . }}c{{ end }}'],
])('Go parses %s', (text) => {
  expect(templateProblem(text, SCOPE)).toBeUndefined();
});

test.each([
  ['{{ range .aaa', 'unclosed action'],
  ['{{ "a }}', 'unterminated quoted string'],
  ['{{/* a */ }}', 'comment ends before closing delimiter'],
  ['{{ .a.b }', 'unexpected "}" in command'],
  ['{{}}', 'missing value for command'],
  ['{{ if }}{{ end }}', 'missing value for if'],
  ['{{ end }}', 'unexpected {{end}}'],
  ['{{ if .a }}{{ else }}{{ else }}{{ end }}', 'expected end; found {{else}}'],
  ['{{ range .a }}x', 'unexpected EOF'],
  ['{{ range .x }}{{ else if .y }}{{ end }}', 'unexpected "if" in else'],
  ['{{.range .k }}a{{end}}', 'unexpected {{end}}'],
  ['{{ break }}', '{{break}} outside {{range}}'],
  ['{{ if .a }}{{ define "t" }}{{ end }}{{ end }}', 'unexpected {{define}}'],
  ['{{ Value }}', 'function "Value" not defined'],
  ['{{ $b }}', 'undefined variable "$b"'],
  ['{{ if .a }}{{ $c := 1 }}{{ end }}{{ $c }}', 'undefined variable "$c"'],
  ['{{ $d = 1 }}', 'undefined variable "$d"'],
  ['{{ .a | "x" }}', 'non executable command in pipeline stage 2'],
  ['{{ 12a }}', 'bad number syntax: "12a"'],
  ['{{ .a=b }}', 'bad character "="'],
  ['{{ (.a }}', 'unclosed left paren'],
  ['{{ .a) }}', 'unexpected right paren'],
  ['{{ "a".b }}', 'unexpected . after term'],
])('Go rejects %s: %s', (text, problem) => {
  expect(templateProblem(text, SCOPE)).toBe(problem);
});

test('deep nesting is rejected', () => {
  expect(templateProblem('{{if 1}}'.repeat(100_000), SCOPE)).toBe('blocks are nested more than 500 deep');
  expect(templateProblem(`{{ ${'('.repeat(100_000)}`, SCOPE)).toBe('parentheses are nested more than 500 deep');
});

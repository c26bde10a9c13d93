import { JsonFile, type Project } from 'projen';

/** What is not written by hand, and the programs that `gantry init` writes, which only their own projects can resolve. */
const NOT_LINTED = [
  'lib/**',
  'dist/**',
  '.cache/**',
  'src/facts/api/types/**',
  'src/planning/pages/*assets.ts',
  'src/interfaces/cli/init/templates/**',
  '**/*.d.ts',
];

/** Beside the category `correctness`, which has most of what typescript-eslint recommends. */
const RULES = {
  complexity: ['error', 20],
  curly: ['error', 'all'],
  eqeqeq: ['error', 'always', { null: 'ignore' }],
  'no-case-declarations': 'error',
  'no-console': 'error',
  'no-constant-condition': 'error',
  'no-empty': 'error',
  'no-fallthrough': 'error',
  'no-prototype-builtins': 'error',
  'no-regex-spaces': 'error',
  'no-unexpected-multiline': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  'no-var': 'error',
  'prefer-const': 'error',
  'prefer-rest-params': 'error',
  'prefer-spread': 'error',
  'preserve-caught-error': 'error',
  'typescript/ban-ts-comment': 'error',
  'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  'typescript/explicit-module-boundary-types': 'error',
  'typescript/no-empty-object-type': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/no-floating-promises': [
    'error',
    { allowForKnownSafeCalls: [{ from: 'package', name: ['describe', 'it', 'test'], package: 'node:test' }] },
  ],
  'typescript/no-misused-promises': 'error',
  // Strings are spread into code points on purpose.
  'typescript/no-misused-spread': 'off',
  'typescript/no-namespace': 'error',
  'typescript/no-require-imports': 'error',
  'typescript/no-unnecessary-type-assertion': 'error',
  'typescript/no-unnecessary-type-constraint': 'error',
  'typescript/no-unsafe-argument': 'error',
  'typescript/no-unsafe-assignment': 'error',
  'typescript/no-unsafe-call': 'error',
  'typescript/no-unsafe-enum-comparison': 'error',
  'typescript/no-unsafe-function-type': 'error',
  'typescript/no-unsafe-member-access': 'error',
  'typescript/no-unsafe-return': 'error',
  // Reports defaults of destructured unions that are used.
  'typescript/no-useless-default-assignment': 'off',
  'typescript/only-throw-error': 'error',
  'typescript/prefer-promise-reject-errors': 'error',
  // Lists of strings are sorted by code unit, which is the same on every machine.
  'typescript/require-array-sort-compare': 'off',
  'typescript/require-await': 'error',
  'typescript/restrict-plus-operands': 'error',
  'typescript/switch-exhaustiveness-check': 'error',
} as const;

/** Oxlint's configuration: rules with type information over everything that is written by hand. */
export class LintConfig extends JsonFile {
  constructor(project: Project) {
    super(project, '.oxlintrc.json', {
      marker: false,
      obj: {
        $schema: './node_modules/oxlint/configuration_schema.json',
        plugins: ['typescript'],
        categories: { correctness: 'error' },
        // With the diagnostics of the compiler, so that no other step checks the types of what is linted.
        options: { typeAware: true, typeCheck: true },
        env: { builtin: true },
        ignorePatterns: NOT_LINTED,
        rules: RULES,
        overrides: [
          { files: ['**/*.mjs', '**/*.cjs'], rules: withoutTypes() },
          {
            files: ['bench/**', 'examples/**', 'projen/**', 'test/**', '.projenrc.ts'],
            rules: { 'no-console': 'off' },
          },
        ],
      },
    });
  }
}

/** JavaScript loads by `require`, and has no types to judge by. */
function withoutTypes(): Record<string, string> {
  const typed = Object.keys(RULES).filter((rule) => /^typescript\/(no-(unsafe|require|floating)|explicit)/.test(rule));
  return Object.fromEntries(typed.map((rule) => [rule, 'off']));
}

/**
 * What is said about CEL expressions. Which of them a live server takes is recorded (recorded-verdicts.test.ts).
 */
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { coreRules } from '../../../src/checks/server/rules';
import { findingsOf } from '../../support/findings';

const RULES = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }];

function ofClass(expression: string, kubernetes: KubernetesMinor = '1.36'): readonly string[] {
  const spec = { selectors: [{ cel: { expression } }] };
  const manifest = { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'gpu' }, spec };
  return findingsOf(JSON.stringify(manifest), coreRules, { kubernetes }).map(({ message }) => message);
}

function ofPolicy(spec: object, kubernetes: KubernetesMinor = '1.36'): readonly string[] {
  const manifest = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'policy.example.com' },
    spec: { matchConstraints: { resourceRules: RULES }, ...spec },
  };
  return findingsOf(JSON.stringify(manifest), coreRules, { kubernetes }).map(({ message }) => message);
}

describe('an expression', () => {
  it.each([
    ['devic.driver == "a"', 'references the undeclared variable "devic"'],
    ['device.drivr == "a"', 'selects the undefined field "drivr"'],
    ['device.driver.beginsWith("a")', 'calls the undeclared function "beginsWith"'],
    ['device.driver == 1', 'applies the operator "==" to the unsupported types (string, int)'],
    ['device.driver.startsWith(1)', 'calls the function "startsWith" with the unsupported types string.(int)'],
    ['device.driver', 'must evaluate to bool or any, but evaluates to string'],
    ['device.driver.x == 1', 'selects the field "x" of a value of type string'],
    ['device.driver.all(x, true)', 'loops over a value of type string, which must be a list or map'],
    ['[1, "a"].size() == 2', 'mixes int and string in one list or map'],
    ['[1].all(1, true)', 'has a macro whose variable is not a name'],
    ['[1].map(2, 3) == []', 'has a macro whose variable is not a name'],
    ['has(device)', 'calls has() with something other than a field'],
    ['Thing{a: 1} == 1', 'uses the undeclared type "Thing"'],
    ['duration("1d") == duration("1h")', 'has the invalid duration "1d"'],
    [
      'timestamp("2026-02-30T00:00:00Z") == timestamp("2026-02-28T00:00:00Z")',
      'has the invalid timestamp "2026-02-30T00:00:00Z"',
    ],
    ['"a".matches("(")', 'has the invalid pattern "("'],
    ['"%d %s".format([1]) == ""', 'formats 2 arguments, but has 1'],
    ['"%d".format(["a"]) == ""', 'formats a value of type string with "%d"'],
    ['"%q".format(["a"]) == ""', 'formats with the unknown clause "%q"'],
    ['9223372036854775808 > 0', 'has the number 9223372036854775808, which does not fit in 64 bits'],
    ['device.driver == "a" AND true', 'does not compile: unexpected "AND" in line 1, column 22'],
    [String.raw`"\q" == ""`, String.raw`does not compile: unknown escape sequence "\q"`],
    [`${'('.repeat(250)}true${')'.repeat(250)}`, 'must not be nested deeper than 249 levels'],
    [`1${' + 1'.repeat(250)} == 1`, 'must not be nested deeper than 250 operations'],
  ])('is rejected where it does not compile: %s', (expression, complaint) => {
    expect(ofClass(expression)).toEqual([`the expression ${complaint}`]);
  });

  it.each([
    'device.attributes["gpu.nvidia.com"].type == "gpu" && device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0',
    'device.attributes["a"].isShared',
    'cel.bind(a, device.attributes["a"], a.b && a.c)',
    `${'('.repeat(249)}true${')'.repeat(249)}`,
    `true${' && true'.repeat(600)}`,
    '[?optional.of(1), 2] == [1, 2] // both',
  ])('is taken where it compiles: %s', (expression) => {
    expect(ofClass(expression)).toEqual([]);
  });

  it('uses what the version of Kubernetes before the checked one has', () => {
    const sorted = '[2, 1].sort() == [1, 2]';
    expect(ofClass(sorted, '1.35')).toEqual([]);
    expect(ofClass(sorted, '1.34')).toEqual(['the expression calls the undeclared function "sort"']);
  });

  it('that is long is judged in time that grows with its length', () => {
    expect(ofPolicy({ validations: [{ expression: `object.a${'.b'.repeat(10_000)} == 1` }] })).toEqual([
      'validations[0].expression must not be nested deeper than 250 operations',
    ]);
    expect(ofPolicy({ validations: [{ expression: `object.a in [${'1, '.repeat(20_000)}1]` }] })).toEqual([]);
  });
});

describe('an admission policy', () => {
  it('sees the types of the variables before, and no others', () => {
    const variables = [
      { name: 'count', expression: 'size("a")' },
      { name: 'more', expression: 'variables.count + 1' },
    ];
    expect(ofPolicy({ variables, validations: [{ expression: 'variables.more > 1' }] })).toEqual([]);
    expect(ofPolicy({ variables, validations: [{ expression: 'variables.more == "a"' }] })).toEqual([
      'validations[0].expression applies the operator "==" to the unsupported types (int, string)',
    ]);
    expect(ofPolicy({ variables: [...variables].reverse(), validations: [{ expression: 'true' }] })).toEqual([
      'variables[0].expression selects the undefined field "count"',
    ]);
  });

  it('knows of the items of a list, and of the members of a map, only whether they are of a plain type', () => {
    const variables = [
      { name: 'resources', expression: '[request.resource]' },
      { name: 'byName', expression: '{"a": request.resource}' },
      { name: 'counts', expression: '[1, 2]' },
    ];
    const of = (expression: string): readonly string[] => ofPolicy({ variables, validations: [{ expression }] });
    // In the expression itself, the server knows the type.
    expect(of('[request.resource][0].gruop == "apps"')).toEqual([
      'validations[0].expression selects the undefined field "gruop"',
    ]);
    expect(of('variables.resources[0].gruop == "apps"')).toEqual([]);
    expect(of('variables.byName.a.gruop == "apps"')).toEqual([]);
    expect(of('variables.counts[0] == "a"')).toEqual([
      'validations[0].expression applies the operator "==" to the unsupported types (int, string)',
    ]);
  });

  it('has parameters only where it names their kind, and no authorizer in messages', () => {
    const validations = [{ expression: 'params.a == 1' }];
    expect(ofPolicy({ validations })).toEqual([
      'validations[0].expression references the undeclared variable "params", because paramKind is unset',
    ]);
    expect(ofPolicy({ validations, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toEqual([]);
    expect(
      ofPolicy({
        validations: [{ expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' }],
      }),
    ).toEqual(['validations[0].messageExpression references the undeclared variable "authorizer"']);
  });

  it('may not have a variable that takes over the prototype of objects', () => {
    const variables = [{ name: '__proto__', expression: '1' }];
    expect(ofPolicy({ variables, validations: [{ expression: 'variables.toString == 1' }] })).toEqual([
      'validations[0].expression selects the undefined field "toString"',
    ]);
    expect(ofPolicy({ validations: [{ expression: 'constructor == 1' }] })).toEqual([
      'validations[0].expression references the undeclared variable "constructor"',
    ]);
  });
});

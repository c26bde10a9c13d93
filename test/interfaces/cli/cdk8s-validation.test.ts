/**
 * The validation class, as cdk8s-cli calls it.
 */
import { join } from 'node:path';
import {
  GantryValidation,
  type GantryValidationContext,
  type GantryValidationProperties,
  type GantryViolation,
} from '../../../src';
import { Workplace } from './fake-terminal';

let place: Workplace;
let folder: string;
beforeEach(() => {
  place = new Workplace();
  folder = process.cwd();
  process.chdir(place.folder);
});
afterEach(() => {
  process.chdir(folder);
  place.remove();
});

interface Outcome {
  readonly status: string;
  readonly violations: readonly GantryViolation[];
  readonly counts: Readonly<Record<string, string>>;
}

async function validate(
  text: string,
  properties: GantryValidationProperties = {},
  metadata: GantryValidationContext['metadata'] = {},
): Promise<Outcome> {
  const violations: GantryViolation[] = [];
  let outcome: Outcome | undefined;
  await new GantryValidation(properties).validate({
    manifests: [place.write('dist/app.k8s.yaml', text)],
    metadata,
    report: {
      addViolation: (violation) => void violations.push(violation),
      submit: (status, counts = {}) => (outcome = { status, violations, counts }),
    },
  });
  if (outcome === undefined) {
    throw new Error('the report was not submitted');
  }
  return outcome;
}

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { a: ${value} }\n`;
const WRONG = configMap('web', '1');

test('findings of one rule and fix are one violation with each object once', async () => {
  const { status, violations } = await validate(
    `${configMap('web', '1')}---\n${configMap('api', '1')}---\n${configMap('good', 'x')}`,
  );
  expect(status).toBe('failure');
  expect(violations).toMatchObject([
    {
      ruleName: 'error schema/type',
      violatingResources: [
        { resourceName: 'web', manifestPath: join('dist', 'app.k8s.yaml'), locations: [/^\/data\/a: /] },
        { resourceName: 'api' },
      ].map((resource) =>
        'locations' in resource ? { ...resource, locations: [expect.stringMatching(/^\/data\/a: /)] } : resource,
      ),
    },
  ]);
});

test('objects that share a name are told apart by their kind, since cdk8s knows constructs by the name alone', async () => {
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: web }\n';
  const { violations } = await validate(`${WRONG}---\n${secret}`, {}, { web: { path: 'chart/secret' } });
  expect(violations.flatMap(({ violatingResources }) => violatingResources)).toMatchObject([
    { resourceName: 'ConfigMap web' },
  ]);
});

test('a text that cannot be read fails the validation', async () => {
  expect((await validate('a: [')).status).toBe('failure');
});

test('the configuration file, a rule that is left out, and a baseline apply as on the command line', async () => {
  expect((await validate(WRONG, { ignore: ['schema/type=the generator writes numbers'] })).status).toBe('success');
  expect((await validate(WRONG, { only: ['webhook'] })).status).toBe('success');
  place.write('.gantry.yaml', 'rules:\n  schema/type: { severity: warning, reason: known }\n');
  expect(await validate(WRONG)).toMatchObject({ status: 'success', counts: { Errors: '0', Warnings: '1' } });
  expect((await validate(WRONG, { 'fail-on': 'warning' })).status).toBe('failure');
  expect((await validate(WRONG, { 'fail-on': ['warning', 'not-checked'] })).status).toBe('failure');
});

test('the target minor is the one of the properties', async () => {
  expect((await validate('apiVersion: v1\nkind: Namespace\nmetadata: { name: a }\n', { k8s: '1.36' })).counts).toEqual({
    Kubernetes: '1.36',
    Objects: '1',
    Errors: '0',
    Warnings: '0',
    Information: '0',
    'Not checked': '0',
  });
});

test.each([
  [{ ks8: '1.36' }, 'GantryValidation: unknown property "ks8" (did you mean "k8s"?)'],
  [{ k8s: 1.3 }, 'GantryValidation: k8s must be a string; write it in quotes, since YAML reads 1.30 as 1.3'],
  [{ ignore: ['schema/typ=why'] }, 'unknown rule schema/typ'],
  [{ config: 'missing.yaml' }, 'missing.yaml'],
  [{ constructor: 'x' }, 'unknown property "constructor"'],
])('a property that is wrong is named: %j', async (properties, message) => {
  await expect(validate(WRONG, properties as unknown as GantryValidationProperties)).rejects.toThrow(message);
});

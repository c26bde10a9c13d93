import * as fc from 'fast-check';
import { type JsonObject } from '../../../src/facts/api/schema';
import { readFormula } from '../../../src/constructs/keda/formula';
import { kedaRules } from '../../../src/constructs/keda/rules';
import { parseYaml } from '../../../src/manifests/yaml';
import { rulesSurvive } from '../../support/rules-survive';
import {
  authentication,
  CPU,
  CRON,
  deployment,
  hpa,
  limitRange,
  prometheus,
  QUEUE,
  scaledJob,
  scaledObject,
} from './objects';
import { samples } from '../../support/samples';

function objects(yaml: string): readonly JsonObject[] {
  return parseYaml(yaml, 'test.yaml').manifests.map(({ object }) => object);
}

test('rules survive any value in any place', () => {
  rulesSurvive(
    kedaRules,
    objects(
      [
        scaledObject([`name: q\n${QUEUE}`, CPU, CRON, prometheus('sum(requests)', 'authModes: bearer')], {
          spec: 'fallback: {failureThreshold: 3, replicas: 2}\nidleReplicaCount: 0\nadvanced: {scalingModifiers: {formula: q + 1, target: "5"}, horizontalPodAutoscalerConfig: {name: a}}',
          annotations: '{autoscaling.keda.sh/paused: "true"}',
        }),
        scaledJob([`authenticationRef: {name: broker}\n${QUEUE}`], { spec: 'scalingStrategy: {strategy: custom}' }),
        authentication(
          'secretTargetRef: [{parameter: host, name: s, key: k}]\npodIdentity: {provider: aws, externalID: x}\noauth2: {clientId: a, tokenUrl: b}',
        ),
        deployment(),
        hpa(),
        limitRange('{type: Container, default: {cpu: 1}}'),
      ].join(''),
    ),
    300,
  );
});

test('any text is a formula, or is refused for a reason', () => {
  const words = fc.constantFrom(
    'a',
    'b',
    '1',
    '2.5',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '+',
    '-',
    '*',
    '?',
    ':',
    '??',
    'let',
    'if',
    'else',
    '#',
    '.',
    ',',
    ';',
    'max',
    'sum',
    '"x"',
    '//',
    'not',
    'in',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(words, { maxLength: 12 }).map((list) => list.join(' ')),
      ),
      (formula) => {
        const { problem } = readFormula(formula);
        if (problem !== undefined) {
          expect(problem.message).not.toBe('');
        }
      },
    ),
    { seed: 20261120, numRuns: samples(1500) },
  );
});

import { type App, Chart } from 'cdk8s';
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { checkTree } from '../../../src/checks/synth/check-tree';
import { Scheduling } from '../../../src/constructs/pods';
import '../../../src/interfaces/checks';
import { EVERY_WORKLOAD, type MakeWorkload } from '../../../projen/docs/every-workload';
import { appFor, CHOICES, made, pageWithTable } from '../../../projen/docs/scheduling-table';

test('the table of docs/scheduling.md says what the constructs do; `npx tsx projen/docs/scheduling-table.ts` writes it again', () => {
  const { now, wanted } = pageWithTable();
  expect(now).toBe(wanted);
});

const CHOSEN = CHOICES.flatMap(({ engine, targets, plain, asking }) =>
  targets.flatMap((target) =>
    [['plain', plain] as const, ...Object.entries(asking)].map(([option, scheduling]) => ({
      name: `${engine} ${option}`,
      scheduling,
      target,
    })),
  ),
);

const REFUSED = /(cannot be scheduled by|does not support|requires Kubernetes 1\.36).*\.$/;

/** An app with the workload once for each choice that it takes, in a namespace each. */
function withEvery(make: MakeWorkload, minor: KubernetesMinor): App {
  const app = appFor(minor);
  CHOSEN.filter(({ target }) => target === minor).forEach(({ scheduling }, index) => {
    const chart = made(make, scheduling, app, `ns${index}`);
    if (!(chart instanceof Chart)) {
      expect(chart.message).toMatch(REFUSED);
    }
  });
  return app;
}

test.each(Object.entries(EVERY_WORKLOAD))(
  '%s: whatever the choice, no rule of any domain objects, or it is refused in words',
  (_kind, make) => {
    for (const minor of ['1.35', '1.36'] as const) {
      // Native PodGroups are alpha, which the check says.
      const said = checkTree(withEvery(make, minor)).findings.filter(
        ({ severity, rule }) => severity !== 'info' && rule !== 'schema/api-version-on-by-default',
      );
      expect(said).toEqual([]);
    }
  },
);

const workload = (kind: string): MakeWorkload => EVERY_WORKLOAD[kind] ?? (() => undefined);

test('a Volcano Job is refused to the default scheduler, which cannot let its PodGroup in', () => {
  expect(made(workload('Volcano Job'), Scheduling.default(), appFor('1.36'))).toMatchObject({
    message: expect.stringContaining('by default') as string,
  });
});

test('a minor without gangs of its own is refused by name', () => {
  const error = made(workload('Job'), Scheduling.podGroup(), appFor('1.34'));
  expect(error).toMatchObject({
    message: expect.stringContaining('Kubernetes 1.34 does not serve PodGroup, which requires 1.35 or later') as string,
  });
});

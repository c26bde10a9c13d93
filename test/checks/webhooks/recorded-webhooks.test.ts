/**
 * What the projects' own validators said, replayed: Gantry's rules of the tier `webhook` refuse what they refused and accept what they
 * accepted.
 */
import { DEFAULT_MINOR } from '../../../src/facts/api/kinds';
import { gantryAsWebhook } from '../../e2e/webhooks/gantry-verdict';
import { moduleVersion, WEBHOOK_PROJECTS, webhookProject } from '../../e2e/webhooks/projects';
import { pinnedVersion } from '../../e2e/webhooks/programs';
import { recordedProjects } from '../../support/webhook-verdicts';

const RECORDED = recordedProjects();

test.each(RECORDED.map((project) => [project.name, project] as const))(
  'the rules agree with the validators of %s',
  (name, { verdicts }) => {
    const ask = new Map<string, ReturnType<typeof gantryAsWebhook>>();
    const differing = verdicts.filter(({ object, beside, verdict }) => {
      const key = JSON.stringify(beside);
      const gantry = ask.get(key) ?? gantryAsWebhook(webhookProject(name), beside, DEFAULT_MINOR);
      ask.set(key, gantry);
      const { findings, hasOther } = gantry(object, 'accepted by a server');
      return verdict === 'accepted' ? findings.length > 0 : findings.length === 0 && !hasOther;
    });
    expect(differing.map(({ object, verdict }) => `${verdict}: ${JSON.stringify(object)}`)).toEqual([]);
  },
);

test('each project that can be built has 300 recorded verdicts of its version, of which at least 40 are refusals', () => {
  expect(RECORDED.map(({ name }) => name).sort()).toEqual(WEBHOOK_PROJECTS.map(({ name }) => name).sort());
  for (const { name, version, verdicts } of RECORDED) {
    expect({ name, version }).toEqual({ name, version: moduleVersion(webhookProject(name)) });
    expect({ name, verdicts: verdicts.length }).toEqual({ name, verdicts: 300 });
    expect({ name, enough: verdicts.filter(({ verdict }) => verdict === 'refused').length >= 40 }).toEqual({
      name,
      enough: true,
    });
  }
});

test('each program is built from the version of the table of upstream releases', () => {
  for (const project of WEBHOOK_PROJECTS) {
    expect({ name: project.name, version: pinnedVersion(project) }).toEqual({
      name: project.name,
      version: moduleVersion(project),
    });
  }
});

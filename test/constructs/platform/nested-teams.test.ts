/**
 * Teams within teams: their shares add up, and each engine gets the hierarchy in its own terms.
 */
import { App } from 'cdk8s';
import { type JsonObject } from '../../../src/facts/api/schema';
import { PyTorchJob } from '../../../src/constructs/kubeflow';
import {
  GantrySystem,
  GpuPlatform,
  type GpuPlatformProps,
  KueueSystem,
  type UsualRung,
} from '../../../src/constructs/platform';
import { type QueueEngine } from '../../../src/constructs/resources/queue-references';
import { Plan } from '../../../src/planning/cluster/plan-on-synth';
import { asObject } from '../../../src/manifests/read';
import { parseValue } from '../../../src/manifests/yaml';
import { Testing } from '../../../src/interfaces/testing';

type TeamName = 'research' | 'vision' | 'language' | 'speech' | 'applied';
type Props = GpuPlatformProps<'h100', TeamName, UsualRung, QueueEngine>;

/** Research holds 10 of 16 nodes: vision 4, language 5 (speech 2 of them), and 1 for itself. */
const TEAMS: Props['teams'] = {
  applied: { deserved: { h100: 6 }, capability: { h100: 8 } },
  vision: { parent: 'research', deserved: { h100: 4 }, capability: { h100: 6 }, guarantee: { h100: 1 } },
  research: { deserved: { h100: 10 }, capability: { h100: 12 }, guarantee: { h100: 4 } },
  language: { parent: 'research', deserved: { h100: 5 }, guarantee: { h100: 2 } },
  speech: { parent: 'language', deserved: { h100: 2 } },
};

function platform(
  scheduling?: Props['scheduling'],
  teams: Props['teams'] = TEAMS,
): { readonly app: App; readonly made: GpuPlatform<'h100', TeamName, UsualRung, QueueEngine> } {
  const app = new App();
  const made = new GpuPlatform<'h100', TeamName, UsualRung, QueueEngine>(app, 'ai', {
    pools: { h100: { nodes: 16, accelerator: 'H100-SXM-80GB', devices: 8, cpu: 160, memory: '1536Gi' } },
    teams,
    scheduling,
    monitoring: false,
    tuning: false,
  });
  return { app, made };
}

const specOf = (objects: readonly JsonObject[], kind: string, name: string): JsonObject =>
  asObject(objects.find((one) => one.kind === kind && asObject(one.metadata).name === name)?.spec);
const GPU = 'nvidia.com/gpu';

test('with Volcano a team with child teams is a queue that holds theirs, and its own workloads have a leaf beside them', () => {
  const objects = Testing.synth(platform().app);
  const shape = ['research-teams', 'research', 'vision', 'language-teams', 'language', 'speech', 'applied'].map(
    (name) => {
      const { parent, deserved, capability, guarantee } = specOf(objects, 'Queue', name);
      const reserved = asObject(asObject(guarantee).resource)[GPU];
      return [name, parent, asObject(deserved)[GPU], asObject(capability)[GPU], reserved];
    },
  );
  expect(shape).toEqual([
    ['research-teams', 'ai', '80', '96', '32'],
    // 10 nodes less the 9 of its child teams; of the 4 nodes that are reserved, 3 are the children's.
    ['research', 'research-teams', '8', '96', '8'],
    ['vision', 'research-teams', '32', '48', '8'],
    ['language-teams', 'research-teams', '40', '40', '16'],
    ['language', 'language-teams', '24', '40', '16'],
    ['speech', 'language-teams', '16', '16', undefined],
    ['applied', 'ai', '48', '64', undefined],
  ]);
});

test('with Kueue a team with child teams is a cohort that limits what they borrow and lend together', () => {
  const objects = Testing.synth(platform(new KueueSystem()).app);
  const quota = (spec: JsonObject): unknown =>
    (
      JSON.parse(JSON.stringify(spec)) as { resourceGroups: { flavors: { resources: { name: string }[] }[] }[] }
    ).resourceGroups[0]?.flavors[0]?.resources.find(({ name }) => name === GPU);
  const research = specOf(objects, 'Cohort', 'research-teams');
  expect(research.parentName).toBe('ai');
  expect(quota(research)).toEqual({ name: GPU, nominalQuota: '0', borrowingLimit: '16', lendingLimit: '48' });
  expect(specOf(objects, 'Cohort', 'language-teams').parentName).toBe('research-teams');
  expect(specOf(objects, 'ClusterQueue', 'speech').cohortName).toBe('language-teams');
  expect(specOf(objects, 'ClusterQueue', 'applied').cohortName).toBe('ai');
  const own = specOf(objects, 'ClusterQueue', 'research');
  expect(own.cohortName).toBe('research-teams');
  expect(quota(own)).toEqual({ name: GPU, nominalQuota: '8', borrowingLimit: '88', lendingLimit: '0' });
});

test("with Gantry's scheduler the queues form the same tree, and a group is open to the namespaces of its teams alone", () => {
  const scheduling = new GantrySystem();
  const objects = Testing.synth(platform(scheduling).app);
  const texts = objects.flatMap(({ kind, data }) => (kind === 'ConfigMap' ? Object.values(asObject(data)) : []));
  const text = texts.find((one) => typeof one === 'string' && one.includes('queues:')) as string;
  const parsed = parseValue(text, 'configuration');
  const queues = (asObject('value' in parsed ? parsed.value : {}).queues ?? []) as unknown as readonly JsonObject[];
  expect(queues.map(({ name, parent, namespaces }) => [name, parent, namespaces])).toEqual([
    ['research-teams', undefined, ['research', 'vision', 'language', 'speech']],
    ['language-teams', 'research-teams', ['language', 'speech']],
    ['applied', undefined, ['applied']],
    ['vision', 'research-teams', ['vision']],
    ['research', 'research-teams', ['research']],
    ['language', 'language-teams', ['language']],
    ['speech', 'language-teams', ['speech']],
  ]);
  expect(asObject(queues[0]?.deserved)[GPU]).toBe('80');
});

test.each<[string, () => Props['scheduling']]>([
  ['Volcano', () => undefined],
  ['Kueue', () => new KueueSystem()],
  ['Gantry', () => new GantrySystem()],
])('with %s jobs of parent and child teams have no error or warning, and are planned', (_, scheduling) => {
  const { app, made } = platform(scheduling());
  for (const name of ['research', 'speech', 'applied'] as const) {
    const team = made.teams[name];
    new PyTorchJob(team.chart, 'train', {
      ...team.wholeNode('h100'),
      image: 'registry.example.com/train:1',
      command: ['torchrun', 'train.py'],
      nodes: 2,
      scheduling: team.scheduling,
    });
  }
  Plan.against(made.cluster).on(app);
  expect(Testing.check(app).findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
  expect(made.teams.speech.parent).toBe('language');
  expect(made.teams.research.queue.name).toBe('research');
});

test.each<[string, Props['teams'], string]>([
  [
    'child teams that deserve more than their parent',
    { ...TEAMS, vision: { parent: 'research', deserved: { h100: 6 } } },
    'ai: team research: deserved must not be less than that of the child teams vision, language (10 < 11 nodes of h100).',
  ],
  [
    'child teams with a larger guarantee than their parent',
    { ...TEAMS, research: { deserved: { h100: 10 }, capability: { h100: 12 }, guarantee: { h100: 2 } } },
    'ai: team research: guarantee must not be less than that of the child teams vision, language (2 < 3 nodes of h100).',
  ],
  [
    'a child team that may use more than its parent',
    { ...TEAMS, speech: { parent: 'language', deserved: { h100: 2 }, capability: { h100: 6 } } },
    'ai: team speech: capability must not exceed that of the parent language (6 > 5 nodes of h100).',
  ],
  [
    'a cycle of parents',
    { ...TEAMS, research: { parent: 'speech', deserved: { h100: 10 } } },
    'ai: team research: parent must not form a cycle (research → speech → language → research).',
  ],
  [
    'an unknown parent',
    { ...TEAMS, vision: { parent: 'sales' as 'research', deserved: { h100: 4 } } },
    'ai: team vision: parent: unknown team "sales". The teams are applied, vision, research, language, speech.',
  ],
  [
    'a team with the name of a group queue',
    { ...TEAMS, 'research-teams': { deserved: {} } } as Props['teams'],
    'ai: team research-teams: the name is reserved for the queue of research and its child teams.',
  ],
  [
    'teams at the top that deserve more than there is, their child teams not counted twice',
    { ...TEAMS, applied: { deserved: { h100: 7 } } },
    'ai: the deserved shares of the teams add up to 17 nodes of the pool h100, which has 16',
  ],
])('%s are refused', (_, teams, message) => {
  expect(() => platform(undefined, teams)).toThrow(message);
});

test('a parent without a stated guarantee reserves what its child teams reserve', () => {
  const { deserved, capability } = TEAMS.research;
  const research = { deserved, capability };
  const objects = Testing.synth(platform(undefined, { ...TEAMS, research }).app);
  expect(specOf(objects, 'Queue', 'research-teams').guarantee).toMatchObject({ resource: { [GPU]: '24' } });
  expect(specOf(objects, 'Queue', 'research').guarantee).toBeUndefined();
});

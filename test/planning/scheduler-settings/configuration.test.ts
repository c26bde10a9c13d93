import { DEFAULT_POLICY } from '../../../src/placement';
import {
  type Configuration,
  ConfigurationError,
  DEFAULT_CONFIGURATION,
  readConfiguration,
} from '../../../src/planning/scheduler-settings/configuration';

const read = (text: string): Configuration => readConfiguration(text, 'config.yaml');

function faultsOf(text: string): readonly string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.faults;
    }
    throw error;
  }
  return [];
}

describe('the configuration file', () => {
  it('may be empty', () => {
    expect(read('')).toEqual(DEFAULT_CONFIGURATION);
    expect(read('{}')).toEqual(DEFAULT_CONFIGURATION);
  });

  it.each(Object.entries(DEFAULT_POLICY).filter(([, value]) => typeof value === 'number'))(
    'sets the number policy.%s',
    (key) => expect(read(`policy: { ${key}: 7 }`).policy).toEqual({ ...DEFAULT_POLICY, [key]: 7 }),
  );

  it('reads capacity filters', () => {
    const text =
      'policy: { capacityFilters: [{ mode: soft, utilization: 0.5, queues: [a] }, { mode: hard, pools: [p], latencyMs: 9 }] }';
    expect(read(text).policy.capacityFilters).toEqual([
      { mode: 'soft', utilization: 0.5, queues: ['a'] },
      { mode: 'hard', pools: ['p'], latencyMs: 9 },
    ]);
    expect(faultsOf('policy: { capacityFilters: [{ mode: firm, utilization: 2, freeMemoryMib: 1 }, {}] }')).toEqual([
      'config.yaml: policy.capacityFilters[0].freeMemoryMib is an unknown field; known fields are mode, pools, queues, freeMemoryMiB, utilization, latencyMs.',
      'config.yaml: policy.capacityFilters[0].utilization must be a number from 0 to 1, not 2.',
      'config.yaml: policy.capacityFilters[0].mode must be hard or soft, not "firm".',
      'config.yaml: policy.capacityFilters[1] must set at least one of freeMemoryMiB, utilization, and latencyMs.',
      'config.yaml: policy.capacityFilters[1].mode is required.',
    ]);
  });

  it('counts nodes in whole numbers', () => {
    expect(faultsOf('policy: { repartitionLimit: 1.5 }')).toEqual([
      'config.yaml: policy.repartitionLimit must be a whole number greater than or equal to 0, not 1.5.',
    ]);
    expect(read('repartition: { timeoutSeconds: 5 }').repartition).toEqual({ timeoutSeconds: 5, intervalSeconds: 600 });
  });

  it('reads queues in the units of the placement core', () => {
    const { queues } = read(`
queues:
  - name: research
    parent: company
    weight: 2
    deserved: { cpu: 500m, memory: 64Gi, nvidia.com/gpu: 8, example.com/x: unlimited }
    capability: { nvidia.com/gpu: "16" }
    state: closed
`);
    expect(queues).toEqual([
      {
        name: 'research',
        parent: 'company',
        weight: 2,
        state: 'closed',
        deserved: { cpu: 500, memory: 64 * 2 ** 30, 'nvidia.com/gpu': 8, 'example.com/x': 'unlimited' },
        capability: { 'nvidia.com/gpu': 16 },
      },
    ]);
  });

  it.each(['65', '1.5', '-1'])('a history of %s ConfigMaps is rejected', (configMaps) => {
    expect(faultsOf(`history: { configMaps: ${configMaps} }`)).toHaveLength(1);
    expect(read('history: { configMaps: 64 }').history).toEqual({ configMaps: 64, intervalSeconds: 30 });
  });

  it('changes single members of the policy', () => {
    const { policy } = read('policy: { nodeScore: spread, staleGangSeconds: 120 }');
    expect(policy).toEqual({ ...DEFAULT_CONFIGURATION.policy, nodeScore: 'spread', staleGangSeconds: 120 });
  });

  it('tells every fault with its place, what was found and what is expected', () => {
    expect(
      faultsOf(`
queue: []
policy: { nodeScore: pretty, victimLimit: 0 }
queues: [{ weight: -1, deserved: { cpu: much } }]
binding: { inFlight: many }
topologies: [{ name: t }]
`),
    ).toEqual([
      expect.stringContaining('config.yaml: queue is an unknown field; known fields are schedulerName, '),
      'config.yaml: queues[0].name is required.',
      'config.yaml: queues[0].weight must be a number greater than or equal to 0, not -1.',
      'config.yaml: queues[0].deserved["cpu"] must be a quantity such as 8, 500m, or 64Gi, or unlimited, not "much".',
      'config.yaml: topologies[0].levels must list at least one node label, outermost first.',
      'config.yaml: policy.nodeScore must be binpack, spread, spread-devices, first-fit, fgd, or fragmentation, not "pretty".',
      'config.yaml: policy.victimLimit must be a number greater than or equal to 1, not 0.',
      'config.yaml: binding.inFlight must be a number greater than or equal to 1, not "many".',
    ]);
  });

  it('survives YAML that is none', () => {
    expect(faultsOf('a: [')).toHaveLength(1);
    expect(faultsOf('just a text')).toEqual(['config.yaml: the document must be a map, not "just a text".']);
  });
});

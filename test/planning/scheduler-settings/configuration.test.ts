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
      expect.stringContaining('config.yaml: queue is not known; the document may have schedulerName, '),
      'config.yaml: queues[0].name is missing; expected a text.',
      'config.yaml: queues[0].weight is -1; expected a number, 0 or more.',
      'config.yaml: queues[0].deserved["cpu"] is "much"; expected a quantity such as 8, 500m or 64Gi, or unlimited.',
      'config.yaml: topologies[0].levels is empty; expected node labels, outermost first.',
      'config.yaml: policy.nodeScore is "pretty"; expected one of binpack, spread, fgd, fragmentation.',
      'config.yaml: policy.victimLimit is 0; expected a number, 1 or more.',
      'config.yaml: binding.inFlight is "many"; expected a number, 1 or more.',
    ]);
  });

  it('survives YAML that is none', () => {
    expect(faultsOf('a: [')).toHaveLength(1);
    expect(faultsOf('just a text')).toEqual(['config.yaml: the document is "just a text"; expected a map.']);
  });
});

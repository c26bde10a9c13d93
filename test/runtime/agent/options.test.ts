import { readOptions, USAGE } from '../../../src/runtime/agent/options';

test('help, and the name of the node from the environment', () => {
  expect(readOptions(['--help'], {})).toBeUndefined();
  expect(readOptions([], { NODE_NAME: 'n-1' })).toMatchObject({
    node: 'n-1',
    hostRoot: '/',
    interval: 10,
    port: 10_271,
    address: '127.0.0.1',
    exporters: [],
    dryRun: false,
  });
  expect(readOptions(['--node', 'n-2'], { NODE_NAME: 'n-1' })?.node).toBe('n-2');
});

test.each([
  [[], 'The name of the node is not known.'],
  [['--node', 'n', '--wrong'], `Unknown option '--wrong'`],
  [['--node', 'n', '--expect-devices', 'nvidia.com/gpu'], '--expect-devices is nvidia.com/gpu; it must be'],
  [['--node', 'n', '--expect-devices', 'gpu=8'], '--expect-devices is gpu=8; it must be'],
  [['--node', 'n', '--exporter', 'nvidia=localhost:9400'], '--exporter is nvidia=localhost:9400; it must be'],
  [['--node', 'n', '--exporter', 'constructor=http://x/'], 'The vendor is one of nvidia, amd, gaudi, ascend, tpu.'],
  [['--node', 'n', '--interval', '0'], '--interval is 0; it must be a whole number from 1 to 3600.'],
  [['--node', 'n', '--port', ''], '--port is ; it must be a whole number from 0 to 65535.'],
  [['--node', 'n', '--expect-rdma-ports', '0'], '--expect-rdma-ports is 0; it must be'],
])('%j is refused', (args, message) => {
  expect(() => readOptions(args, {})).toThrow(message);
});

test('every flag of the usage is read', () => {
  const flags = [...USAGE.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(flags.length).toBeGreaterThan(8);
  for (const flag of flags) {
    expect(() => readOptions(['--node', 'n', flag], {})).not.toThrow(/Unknown option/);
  }
});

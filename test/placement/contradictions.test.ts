import { cluster, gang, node, run, running, template } from './builders';

const part = (milli: number) => template(0, { accelerator: { kind: 'fraction', milli } });

describe('running pods whose devices are not known', () => {
  const gangs = [
    gang('a', 1, part(400)),
    gang('b', 1, part(400)),
    gang('whole', 1, template(1)),
    gang('more', 3, part(200), { minimum: 1 }),
    gang('large', 1, part(600)),
  ];
  const pods = [
    running('a', 'n', 0, { devices: [0] }),
    running('b', 'n', 0, { devices: [1] }),
    running('whole', 'n', 0),
  ];

  it('leave what the devices of the node have left in all', () => {
    const { bindings } = run(cluster([node('n', 2)], gangs, pods), { actions: ['allocate'] });
    // 0.4 + 0.4 + 1 of 2 devices are in use.
    expect(bindings.map(({ gang: name }) => name)).toEqual(['more']);
  });

  it('are reported', () => {
    expect(run(cluster([node('n', 2)], gangs, pods)).contradictions).toEqual([
      {
        pod: 'whole-worker-0',
        node: 'n',
        message:
          'Pod "whole-worker-0" runs on node "n", but the other pods there leave no nvidia.com/gpu for it; more pods are placed ' +
          'there only if the devices of the node have enough left in total.',
      },
    ]);
    expect(run(cluster([node('n', 3)], gangs, pods)).contradictions).toBeUndefined();
  });
});

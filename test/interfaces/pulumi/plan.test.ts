import { Accelerator, cluster, kubeflow, Plan } from '../../../src';
import { type Carried } from '../../../src/manifests/values/deferred';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { mockedEngine, unknownOutput } from './mocked-engine';

const lab = cluster.readClusterFile(
  JSON.stringify({
    name: 'lab',
    pools: [{ name: 'h100', count: 1, accelerator: 'H100-SXM-80GB', cpu: 192, memory: '2Ti' }],
  }),
  'lab.yaml',
);

/** Two nodes of eight devices, where the cluster has one. */
function tooLarge(props: { readonly image?: Carried<string>; readonly cpu?: Carried<number> }): GantryStack {
  return new GantryStack('lab', (chart) => {
    Plan.against(lab).on(chart);
    new kubeflow.PyTorchJob(chart, 'train', {
      namespace: 'research',
      nodes: 2,
      image: props.image ?? 'registry.example.com/train:1',
      accelerators: Accelerator.nvidia({ count: 8 }),
      resources: { cpu: props.cpu ?? 8, memory: '64Gi' },
      sharedMemory: '8Gi',
    });
  });
}

describe('Plan.against in a preview', () => {
  it('says what it says in any app', async () => {
    await mockedEngine(true);
    await expect(tooLarge({}).done).rejects.toThrow('cluster/gang-fits');
  });

  it('plans jobs whose unknown values decide nothing about their placement', async () => {
    await mockedEngine(true);
    await expect(tooLarge({ image: unknownOutput<string>() }).done).rejects.toThrow('cluster/gang-fits');
  });

  it('gives no finding, and is counted, where the placement depends on an unknown value', async () => {
    await mockedEngine(true);
    const { findings, notJudged = [] } = await tooLarge({ cpu: unknownOutput<number>() }).done;
    expect(findings.map(({ rule }) => rule)).not.toContain('cluster/gang-fits');
    expect(notJudged.map(({ rule }) => rule)).toContain('cluster/gang-fits');
  });

  it('judges by the value once it is known', async () => {
    await mockedEngine(false);
    await expect(tooLarge({ cpu: Promise.resolve(8) }).done).rejects.toThrow('cluster/gang-fits');
  });
});

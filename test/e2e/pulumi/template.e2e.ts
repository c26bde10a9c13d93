import { buildPulumi, whyNoPulumi } from './pulumi-cli';
import { startProvider } from './provider';
import { runProgram } from './run-program';
import { workspace } from './workspace';

const describeReal = whyNoPulumi() === undefined ? describe : describe.skip;

describeReal('programs without a cluster', () => {
  it.each([
    // The stack, the provider, the component, and the objects of the team and its job.
    ['template', 8, 'kubernetes:kubeflow.org/v1:PyTorchJob'],
  ] as const)('%s is previewed by the real engine', async (program, resources, type) => {
    buildPulumi();
    const provider = await startProvider();
    const space = await workspace(program, provider.port);
    try {
      const { changes, said } = await runProgram(
        { folder: space.folder, project: program, port: provider.port },
        'preview',
        program,
      );
      expect({ changes, said }).toMatchObject({ changes: { create: resources } });
      expect(said).toContain(type);
    } finally {
      space.remove();
      provider.stop();
    }
  });
});

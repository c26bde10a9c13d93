import { buildPulumi, whyNoPulumi } from './pulumi-cli';
import { startProvider } from './provider';
import { workspace } from './workspace';

const describeReal = whyNoPulumi() === undefined ? describe : describe.skip;

describeReal('the project that gantry init --template pulumi writes', () => {
  it('is previewed by the real engine', async () => {
    buildPulumi();
    const provider = await startProvider();
    const space = await workspace('template', provider.port);
    try {
      space.use(() => {
        jest.requireActual('../../../src/interfaces/cli/init/templates/pulumi/index');
        return Promise.resolve();
      });
      const { changeSummary, stdout } = await space.stack.preview();
      // The stack, the provider, the component, and the objects of the team and its job.
      expect(changeSummary).toEqual({ create: 8 });
      expect(stdout).toContain('kubernetes:kubeflow.org/v1:PyTorchJob');
    } finally {
      space.remove();
      provider.stop();
    }
  });
});

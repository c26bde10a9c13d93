/**
 * The real engine against the control plane, for the suites of this folder: a cluster, the provider, and a workspace with one state.
 */
import { type JsonObject } from '../../../src/facts/api/schema';
import { whyNoControlPlane } from '../control-plane/availability';
import { applyCustomResources } from '../control-plane/custom-resources';
import { Lab } from '../scheduler/lab';
import { type Change, type ProgramName } from './programs';
import { buildPulumi, whyNoPulumi } from './pulumi-cli';
import { startProvider, type RunningProvider } from './provider';
import { type Result, runProgram } from './run-program';
import { workspace, type Workspace } from './workspace';

const PROJECT = 'gantry';

export const describeReal = (whyNoPulumi() ?? whyNoControlPlane()) === undefined ? describe : describe.skip;

/** What a cluster has before the first run. */
export interface Installed {
  /** CustomResourceDefinitions. @default - none */
  readonly definitions?: readonly JsonObject[];
  /** Names of namespaces beside those of a new cluster. @default - none */
  readonly namespaces?: readonly string[];
}

export class RealEngine {
  static async start({ definitions = [], namespaces = [] }: Installed = {}): Promise<RealEngine> {
    buildPulumi();
    const lab = await Lab.start({ extra: ['kube-controller-manager'], customResources: false });
    const { client } = lab.cluster;
    await applyCustomResources(client, definitions);
    for (const name of namespaces) {
      await client.request('POST', '/api/v1/namespaces', {
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      });
    }
    const provider = await startProvider(client);
    return new RealEngine(lab, provider, await workspace(PROJECT, provider.port));
  }

  private constructor(
    readonly lab: Lab,
    private readonly provider: RunningProvider,
    readonly space: Workspace,
  ) {}

  async stop(): Promise<void> {
    this.space.remove();
    this.provider.stop();
    this.lab.cluster.client.close();
    await this.lab.stop();
  }

  run(command: 'preview' | 'up', program: ProgramName, change: Change = {}): Promise<Result> {
    return runProgram(
      { folder: this.space.folder, project: PROJECT, port: this.provider.port },
      command,
      program,
      change,
    );
  }

  /** Deletes all objects of the state. */
  async destroy(): Promise<Result> {
    try {
      const { summary, stdout } = await this.space.stack.destroy();
      return { changes: summary.resourceChanges ?? {}, said: stdout, failed: false };
    } catch (error) {
      return { said: (error as Error).message, failed: true };
    }
  }

  /** As `pulumi state unprotect --all` does. */
  async unprotectAll(): Promise<void> {
    const { stack } = this.space;
    const exported = await stack.exportStack();
    const { resources = [] } = exported.deployment as { resources?: { protect?: boolean }[] };
    resources.forEach((resource) => delete resource.protect);
    await stack.importStack(exported);
  }

  /** An object of the cluster; `undefined` where there is none. */
  get(path: string): Promise<JsonObject | undefined> {
    return this.lab.get(path);
  }
}

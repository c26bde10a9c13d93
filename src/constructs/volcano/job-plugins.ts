/**
 * What is known of Volcano's job plugins (pkg/controllers/job/plugins): their flags, what they bring along and which
 * variables they give to containers. Constructs and rules read the same table.
 */
import { type FlagTypes } from './go-flags';

/** The plugins that a Volcano Job can name. Any other name is refused by the webhook. */
export const JOB_PLUGINS = ['env', 'svc', 'ssh', 'tensorflow', 'pytorch', 'mpi', 'ray', 'hcclrank'] as const;
/** A plugin of Volcano's job controller. */
export type JobPluginName = (typeof JOB_PLUGINS)[number];

export function isJobPlugin(name: string): name is JobPluginName {
  return (JOB_PLUGINS as readonly string[]).includes(name);
}

/** The flags that each plugin takes. */
export const JOB_PLUGIN_FLAGS: Readonly<Record<JobPluginName, FlagTypes>> = {
  env: {},
  svc: { 'publish-not-ready-addresses': 'bool', 'disable-network-policy': 'bool' },
  ssh: { 'ssh-key-file-path': 'string', 'ssh-private-key': 'string', 'ssh-public-key': 'string', 'ssh-port': 'int' },
  tensorflow: { ps: 'string', worker: 'string', chief: 'string', evaluator: 'string', port: 'int' },
  pytorch: {
    master: 'string',
    worker: 'string',
    port: 'int',
    'wait-master-enabled': 'bool',
    'wait-master-timeout': 'int',
    'wait-master-image': 'string',
  },
  mpi: { master: 'string', worker: 'string', port: 'int' },
  ray: {
    head: 'string',
    headContainer: 'string',
    worker: 'string',
    workerContainer: 'string',
    port: 'int',
    dashboardPort: 'int',
    clientPort: 'int',
  },
  hcclrank: { master: 'string', worker: 'string' },
};

/** The task that plays each role where the arguments name none. */
export const DEFAULT_ROLE_TASKS: Readonly<Partial<Record<JobPluginName, Readonly<Record<string, string>>>>> = {
  tensorflow: { ps: 'ps', worker: 'worker', chief: 'chief', evaluator: 'evaluator' },
  pytorch: { master: 'master', worker: 'worker' },
  mpi: { master: 'master', worker: 'worker' },
  ray: { head: 'head', worker: 'worker' },
  hcclrank: { master: 'master', worker: 'worker' },
};

/** The plugins that the mutating webhook adds beside one that needs them. */
export function pluginsBroughtBy(plugins: readonly string[]): readonly JobPluginName[] {
  const brought = new Set<JobPluginName>();
  if (plugins.some((name) => ['tensorflow', 'mpi', 'pytorch', 'ray'].includes(name))) {
    brought.add('svc');
  }
  if (plugins.includes('mpi')) {
    brought.add('ssh');
  }
  return [...brought].filter((name) => !plugins.includes(name));
}

/** The environment variables that the plugins add to every container of a task, for jobs whose tasks have these names. */
export function variablesOf(plugin: JobPluginName, taskNames: readonly string[]): readonly string[] {
  switch (plugin) {
    case 'env':
      return ['VC_TASK_INDEX', 'VK_TASK_INDEX'];
    case 'svc':
      return taskNames.flatMap((name) => {
        const key = name.replace(/-/g, '_').toUpperCase();
        return [`VC_${key}_HOSTS`, `VC_${key}_NUM`];
      });
    case 'tensorflow':
      return ['TF_CONFIG'];
    case 'pytorch':
      return ['MASTER_ADDR', 'MASTER_PORT', 'WORLD_SIZE', 'RANK'];
    case 'mpi':
      return ['MPI_HOST'];
    case 'ssh':
    case 'ray':
    case 'hcclrank':
      return [];
  }
}

/**
 * The Compose file of the runner, as text. What the configuration names on the host is mounted at the same path, so that one `runner.yaml` serves inside and
 * outside of a container.
 */
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { type RunnerConfiguration } from '../../planning/runner-settings/settings';
import { RunnerError } from './runner-error';

export interface ComposeOptions {
  readonly configuration: RunnerConfiguration;
  /** Absolute path of `runner.yaml`. @default - the runner begins without one */
  readonly config?: string;
  /** Packages to install, with their versions. */
  readonly packages: readonly string[];
}

const IMAGE = 'node:24-bookworm-slim';
const ENGINE = '/var/run/docker.sock';
/** Where CDI files are; the engine before 28.3 does not list their devices. */
const CDI = ['/etc/cdi', '/var/run/cdi'];

/**
 * `pid: host` lets the runner see the processes that a killed engine leaves. It asks for no GPU: a device that a container holds is not given to tasks.
 *
 * @throws RunnerError if the engine is on another host
 */
export function composeFile({ configuration, config, packages }: ComposeOptions): string {
  const { state, socket, tenantSockets, listen, engine } = configuration;
  if (engine !== undefined && !engine.startsWith('unix://')) {
    const fix = 'Write a systemd unit, or run the runner on the host of the engine.';
    throw new RunnerError(`engine ${engine}: a Compose file is for an engine on the same host`, fix, 'invalid');
  }
  const engineSocket = engine?.slice('unix://'.length) ?? ENGINE;
  const written = [state, dirname(socket), ...(tenantSockets === undefined ? [] : [tenantSockets])];
  const read = [
    ...(config === undefined ? [] : [config]),
    ...(listen === undefined ? [] : [listen.certificate, listen.key, listen.tokens]),
    ...CDI,
  ];
  const mounts = [
    bind(engineSocket, false),
    ...[...new Set(written)].filter((path) => !isWithin(path, written)).map((path) => bind(path, false)),
    ...[...new Set(read)].map((path) => bind(path, true)),
  ];
  const words = ['gantry', 'docker', 'serve', ...(config === undefined ? [] : ['--config', config])];
  const command = `npm install --global --no-fund --no-audit ${packages.join(' ')} && exec ${words.map(shellWord).join(' ')}`;
  const runner = {
    image: IMAGE,
    restart: 'unless-stopped',
    pid: 'host',
    ...(listen === undefined ? {} : { network_mode: 'host' }),
    command: ['sh', '-c', literal(command)],
    environment: [`DOCKER_HOST=${literal(`unix://${engineSocket}`)}`],
    stop_grace_period: '30s',
    volumes: mounts,
  };
  return `# The Gantry runner of GPU tasks. Written by "gantry docker install --compose".\n${stringify({ services: { runner } }, { lineWidth: 0 })}`;
}

function bind(path: string, readOnly: boolean): object {
  const mount = { type: 'bind', source: literal(path), target: literal(path) };
  return readOnly ? { ...mount, read_only: true } : mount;
}

/** Whether another path of the list contains it. */
function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((other) => path !== other && path.startsWith(`${other.replace(/\/$/, '')}/`));
}

/** Compose replaces what begins with `$`. */
function literal(text: string): string {
  return text.replace(/\$/g, '$$$$');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}

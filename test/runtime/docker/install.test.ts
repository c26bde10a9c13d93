/**
 * The systemd unit that `gantry docker install` writes.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { installCommand } from '../../../src/interfaces/cli/docker/install-command';
import { type Terminal } from '../../../src/interfaces/cli/terminal';
import { parseYaml } from '../../../src/manifests/yaml';
import { systemdUnit } from '../../../src/planning/runner-settings/systemd-unit';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-install-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function installed(flags: { config?: string; output?: string; force?: boolean; compose?: boolean }): Promise<string> {
  let out = '';
  const terminal = { out: (text: string) => (out += text), cwd: folder, env: {} } as unknown as Terminal;
  return installCommand({ output: 'gantry-docker.service', ...flags }, terminal).then(() => out);
}

test('the unit starts the runner that was installed, with its configuration', async () => {
  writeFileSync(join(folder, 'runner.yaml'), 'tenants: { alice: {} }\n');
  expect(await installed({ config: 'runner.yaml' })).toContain('systemctl enable --now gantry-docker');
  const unit = readFileSync(join(folder, 'gantry-docker.service'), 'utf8');
  expect(unit).toContain(`bin/gantry docker serve --config ${join(folder, 'runner.yaml')}\n`);
  expect(await installed({ config: 'runner.yaml', output: '-' })).toBe(unit);
  // The same unit again changes nothing, another one is refused.
  await installed({ config: 'runner.yaml' });
  await expect(installed({})).rejects.toThrow('exists and is different; --force replaces it');
  await installed({ force: true });
  expect(readFileSync(join(folder, 'gantry-docker.service'), 'utf8')).not.toContain('--config');
});

test('a configuration that is invalid, or not there, is refused before anything is written', async () => {
  writeFileSync(join(folder, 'runner.yaml'), 'tenant: {}\n');
  await expect(installed({ config: 'runner.yaml' })).rejects.toThrow(
    'unknown field "tenant" (did you mean "tenants"?)',
  );
  await expect(installed({ config: 'none.yaml' })).rejects.toThrow('no such file');
  await expect(installed({ output: 'no/such/folder/unit' })).rejects.toThrow('run it as root, or print it');
});

test('systemd reads the paths as they are', () => {
  const unit = systemdUnit({ node: '/opt/my node/100%/node', command: '/opt/$HOME/"gantry"', config: '/etc/g.yaml' });
  expect(unit).toContain(
    'ExecStart="/opt/my node/100%%/node" "/opt/$$HOME/\\"gantry\\"" docker serve --config /etc/g.yaml\n',
  );
  if (spawnSync('systemd-analyze', ['--version']).status === 0) {
    const program = join(folder, 'my node', 'node');
    mkdirSync(join(folder, 'my node'));
    writeFileSync(program, '');
    chmodSync(program, 0o755);
    writeFileSync(join(folder, 'a.service'), systemdUnit({ node: program, command: '/bin/true' }));
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, 'a.service')], {
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('a.service'))).toEqual([]);
  }
});

test('the Compose file mounts what the configuration names, at the same paths, and passes the check', async () => {
  const configuration = {
    state: '/srv/gan$try',
    socket: '/run/gantry/runner.sock',
    tenantSockets: '/run/gantry/tenants',
    listen: { certificate: 'tls.crt', key: 'tls.key', tokens: 'tokens' },
  };
  writeFileSync(join(folder, 'runner.yaml'), JSON.stringify(configuration));
  expect(await installed({ compose: true, config: 'runner.yaml', output: 'compose.yaml' })).toContain(
    `docker compose -f ${join(folder, 'compose.yaml')} up --detach`,
  );
  const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');
  const { services } = parse(text) as { services: { runner: Record<string, unknown> } };
  const { volumes, command, network_mode } = services.runner as {
    volumes: { source: string; target: string; read_only?: boolean }[];
    command: string[];
    network_mode?: string;
  };
  expect(volumes.filter(({ source, target }) => source !== target)).toEqual([]);
  expect(volumes.map(({ source, read_only }) => `${source}${read_only === true ? ' ro' : ''}`)).toEqual([
    '/var/run/docker.sock',
    '/srv/gan$$try',
    '/run/gantry',
    ...['runner.yaml', 'tls.crt', 'tls.key', 'tokens'].map((name) => `${join(folder, name)} ro`),
    '/etc/cdi ro',
    '/var/run/cdi ro',
  ]);
  expect(command[2]).toMatch(
    /^npm install .* cdk8s-gantry@\S+ libsql@\d\S+ && exec gantry docker serve --config \/\S+$/,
  );
  expect(network_mode).toBe('host');
  const { manifests, problems, skipped } = parseYaml(text, 'compose.yaml', { skipForeign: 'known' });
  expect([manifests, problems, skipped.map(({ why }) => why)]).toEqual([[], [], ['a Compose file without GPUs']]);
});

test('a Compose file for an engine on another host is refused', async () => {
  writeFileSync(join(folder, 'runner.yaml'), 'engine: tcp://gpu-box:2376\n');
  await expect(installed({ compose: true, config: 'runner.yaml', output: '-' })).rejects.toThrow(
    'a Compose file is for an engine on the same host',
  );
});

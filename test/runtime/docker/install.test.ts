/**
 * The systemd unit that `gantry docker install` writes.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCommand } from '../../../src/interfaces/cli/docker/install-command';
import { type Terminal } from '../../../src/interfaces/cli/terminal';
import { systemdUnit } from '../../../src/runtime/docker/install/systemd-unit';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-install-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function installed(flags: { config?: string; output?: string; force?: boolean }): Promise<string> {
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
  await expect(installed({ output: 'no/such/folder/unit' })).rejects.toThrow('run it as root, or print the unit');
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

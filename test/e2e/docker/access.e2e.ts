/**
 * Tenants on their sockets and over TLS, and the store of a runner on a full disk and after a loss, against a real engine.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RunnerClient } from '../../../src/runtime/docker/service/client';
import { IMAGE, LiveEngine } from './live-engine';
import { LiveRunner, until } from './live-runner';
import { certificate, freePort } from './network';
import { buildEngine, whyNoEngine } from './programs';

const suite = whyNoEngine() === undefined ? describe : describe.skip;

let engine: LiveEngine;
let runner: LiveRunner;

suite('access to the Docker runner, and its store', () => {
  beforeAll(async () => {
    engine = await LiveEngine.start(
      buildEngine((line) => process.stdout.write(`${line}\n`)),
      2,
    );
  }, 1_800_000);

  afterAll(async () => {
    await engine?.stop();
  });

  afterEach(async () => {
    await runner.stop();
    await engine.clear();
  });

  const TENANTS = { alice: { limit: { gpus: 1 } }, bob: {} };
  const QUIET = ['--network', 'none'];
  /** Runs until the test writes the file. */
  const UNTIL_WRITTEN = 'until [ -e /shared/go ]; do sleep 0.1; done';

  test('on the socket of a tenant there are only its tasks, and nothing of the host', async () => {
    runner = new LiveRunner(engine.host, (folder) => ({ tenants: TENANTS, tenantSockets: join(folder, 'tenants') }));
    await runner.start();
    const alice = { GANTRY_DOCKER_SOCKET: join(runner.folder, 'tenants/alice/runner.sock') };
    const own = await runner.gantryWith(alice, 'run', '-d', ...QUIET, '--tenant', 'bob', IMAGE, 'true');
    const other = await runner.gantry('run', '-d', ...QUIET, '--tenant', 'bob', IMAGE, 'true');
    await runner.ended(own.out.trim(), other.out.trim());
    expect((await runner.task(own.out.trim())).tenant).toBe('alice');
    const listed = await runner.gantryWith(alice, 'list', '--all', '--format', 'json');
    expect((JSON.parse(listed.out) as { id: string }[]).map(({ id }) => id)).toEqual([own.out.trim()]);
    const manifest = await runner.gantryWith(alice, 'export', own.out.trim(), '--as', 'jobset');
    expect(manifest.out).toMatch(
      /^# The network none does not carry over\.\napiVersion: jobset\.x-k8s\.io[^]*- "?true"?/,
    );
    const refusals = [
      [['show', other.out.trim()], /not found/],
      [['export', other.out.trim()], /not found/],
      [['run', '-d', '-v', '/:/host', IMAGE, 'true'], /only administrators may mount folders of the host/],
      [['run', '-d', '--network', 'host', IMAGE, 'true'], /only none and bridge are allowed/],
      [['drain', '0'], /only administrators may do this/],
    ] as const;
    for (const [words, problem] of refusals) {
      expect(await runner.gantryWith(alice, ...words)).toMatchObject({
        status: 2,
        err: expect.stringMatching(problem) as string,
      });
    }
    const many = await runner.gantryWith(alice, 'run', '--dry-run', '--gpus', '2', IMAGE, 'true');
    expect(many.out).toMatch(/^Waits: /);
    expect(statSync(alice.GANTRY_DOCKER_SOCKET).mode & 0o777).toBe(0o660);
  });

  test('over the network there is only TLS, each request needs a token, and administrators read metrics', async () => {
    const port = await freePort();
    runner = new LiveRunner(engine.host, () => ({
      tenants: TENANTS,
      listen: { address: '127.0.0.1', port, certificate: 'tls.crt', key: 'tls.key', tokens: 'tokens' },
    }));
    certificate(runner.folder);
    const [admin, alice] = ['f'.repeat(32), 'e'.repeat(32)];
    writeFileSync(join(runner.folder, 'tokens'), `admin ${admin}\nalice ${alice}\n`, { mode: 0o600 });
    await runner.start();
    const over = (token: string): Readonly<Record<string, string>> => ({
      GANTRY_DOCKER_SOCKET: `https://127.0.0.1:${port}`,
      GANTRY_DOCKER_TOKEN: token,
      NODE_EXTRA_CA_CERTS: join(runner.folder, 'tls.crt'),
    });
    const run = await runner.gantryWith(over(alice), 'run', ...QUIET, IMAGE, 'echo', 'through');
    expect(run).toMatchObject({ status: 0, out: 'through\n' });
    expect((await runner.gantryWith(over(admin), 'drain', '0')).status).toBe(0);
    const refused = await runner.gantryWith(over('g'.repeat(32)), 'list');
    expect(refused).toMatchObject({ status: 2, err: expect.stringMatching(/a valid token is required/) as string });
    const { NODE_EXTRA_CA_CERTS, ...unknown } = over(admin);
    expect(NODE_EXTRA_CA_CERTS).toBeDefined();
    expect((await runner.gantryWith(unknown, 'list')).err).toMatch(/self.signed certificate/);
    const plain = new RunnerClient(`http://127.0.0.1:${port}`);
    await expect(plain.status()).rejects.toThrow();
    const words = ['-s', '--cacert', join(runner.folder, 'tls.crt'), '-H', `Authorization: Bearer ${admin}`];
    const page = spawnSync('curl', [...words.slice(0, 3), '-i', `https://127.0.0.1:${port}/`], { encoding: 'utf8' });
    expect(page.stdout).toMatch(/^HTTP\/1.1 200 [^]*frame-ancestors 'none'[^]*<!doctype html>/i);
    const view = spawnSync('curl', [...words.slice(0, 3), `https://127.0.0.1:${port}/v1/view`], { encoding: 'utf8' });
    expect(view.stdout).toContain('a valid token is required');
    const { stdout } = spawnSync('curl', [...words, `https://127.0.0.1:${port}/metrics`], { encoding: 'utf8' });
    expect(stdout).toContain('gantry_docker_tasks_ended_total{tenant="alice",state="succeeded",class=""} 1\n');
  });

  test('on a full disk a submission is refused, what runs goes on, and its end is written when there is space', async () => {
    runner = new LiveRunner(engine.host);
    const state = join(runner.folder, 'state');
    mkdirSync(state);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', state]).status).toBe(0);
    try {
      await runner.start();
      const flags = ['-d', ...QUIET, '-v', `${runner.shared}:/shared`, '--gpus', '1'];
      const running = await runner.gantry('run', ...flags, IMAGE, 'sh', '-c', UNTIL_WRITTEN);
      await until('it runs', async () => (await runner.task(running.out.trim())).state === 'running');
      const fill = `dd if=/dev/zero of=${join(state, 'filler')} bs=1k oflag=append conv=notrunc`;
      // A page that was free may take one more.
      let refused = { status: 0 as number | null, err: '' };
      for (let tries = 0; refused.status === 0 && tries < 20; tries++) {
        spawnSync('sh', ['-c', fill]);
        refused = await runner.gantry('run', '-d', ...QUIET, IMAGE, 'true');
      }
      expect(refused.err).toMatch(/no space left on the device/);
      // It ends while that cannot be written.
      writeFileSync(join(runner.shared, 'go'), '');
      await until(
        'all containers ended',
        async () => (await engine.ask<unknown[]>('GET', '/containers/json')).length === 0,
      );
      rmSync(join(state, 'filler'));
      expect((await runner.ended(running.out.trim()))[0]).toMatchObject({ state: 'succeeded', attempt: 1 });
      const next = await runner.gantry('run', '-d', ...QUIET, '--gpus', '2', IMAGE, 'true');
      expect((await runner.ended(next.out.trim()))[0].state).toBe('succeeded');
    } finally {
      await runner.kill();
      spawnSync('umount', ['-l', state]);
    }
  });

  test('runner and engine that are killed together lose no task and run none twice', async () => {
    runner = new LiveRunner(engine.host);
    await runner.start();
    const record = `echo $GANTRY_TASK/$GANTRY_ATTEMPT >> /shared/ran`;
    const flags = ['-d', ...QUIET, '-v', `${runner.shared}:/shared`, '--gpus', '1'];
    const ids: string[] = [];
    // Two run until the test writes a file, and the others wait for their devices.
    for (let index = 0; index < 4; index++) {
      ids.push((await runner.gantry('run', ...flags, IMAGE, 'sh', '-c', `${record}; ${UNTIL_WRITTEN}`)).out.trim());
    }
    for (const id of ids.slice(0, 2)) {
      await until(`${id} runs`, async () => (await runner.task(id)).state === 'running');
    }
    await Promise.all([runner.kill(), engine.kill()]);
    await engine.startAgain();
    writeFileSync(join(runner.shared, 'go'), '');
    await runner.start();
    const tasks = await runner.ended(...ids);
    expect(tasks.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    const ran = readFileSync(join(runner.shared, 'ran'), 'utf8').trim().split('\n').sort();
    expect(new Set(ran).size).toBe(ran.length);
    for (const { id, state, failure } of tasks) {
      // What ended with the engine is a failure of the engine; what waited runs.
      expect([id, state, failure?.class]).toEqual([id, state, state === 'succeeded' ? undefined : 'engine']);
    }
    expect(ran).toEqual(
      expect.arrayContaining(tasks.filter(({ state }) => state === 'succeeded').map(({ id }) => `${id}/1`)),
    );
    expect(tasks.slice(2).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  });

  test('a store is restored from its copy as the documentation says', async () => {
    runner = new LiveRunner(engine.host);
    await runner.start();
    const old = (await runner.gantry('run', '-d', ...QUIET, '--name', 'old', IMAGE, 'true')).out.trim();
    await runner.ended(old);
    await runner.kill();
    // The copy is made at the start.
    await runner.start();
    const flags = ['-d', ...QUIET, '-v', `${runner.shared}:/shared`, '--gpus', '2'];
    const id = (await runner.gantry('run', ...flags, IMAGE, 'sh', '-c', UNTIL_WRITTEN)).out.trim();
    await until('it runs', async () => (await runner.task(id)).state === 'running');
    await runner.kill();
    const state = join(runner.folder, 'state');
    writeFileSync(join(state, 'tasks.db'), 'no database');
    copyFileSync(join(state, 'tasks.db.backup'), join(state, 'tasks.db'));
    rmSync(join(state, 'tasks.db-journal'), { force: true });
    await runner.start();
    expect(await runner.task('old')).toMatchObject({ id: old, state: 'succeeded' });
    const waits = await runner.gantry('run', '--dry-run', '--gpus', '1', IMAGE, 'true');
    expect(waits.out).toMatch(/^Waits: /);
    writeFileSync(join(runner.shared, 'go'), '');
    expect((await runner.ended(id))[0]).toMatchObject({ state: 'succeeded', attempt: 1 });
  });
});

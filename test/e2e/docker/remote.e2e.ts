/**
 * An engine that the runner does not reach by a local socket: over TLS, through SSH, and by a Docker context.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE, LiveEngine } from './live-engine';
import { LiveRunner } from './live-runner';
import { certificate, freePort } from './network';
import { buildEngine, whyNoDockerCommand, whyNoEngine } from './programs';

const suite = whyNoEngine() === undefined ? describe : describe.skip;
let engine: LiveEngine;
let runner: LiveRunner | undefined;
let port: number;

suite('the Docker runner and an engine on another host', () => {
  beforeAll(async () => {
    const programs = buildEngine((line) => process.stdout.write(`${line}\n`));
    port = await freePort();
    engine = await LiveEngine.start(programs, 1, (folder) => {
      certificate(folder);
      const file = (name: string): string => join(folder, name);
      const verify = [
        '--tlsverify',
        '--tlscacert',
        file('tls.crt'),
        '--tlscert',
        file('tls.crt'),
        '--tlskey',
        file('tls.key'),
      ];
      return [...verify, '-H', `tcp://127.0.0.1:${port}`];
    });
  }, 1_800_000);

  afterAll(async () => {
    await engine?.stop();
  });

  afterEach(async () => {
    await runner?.stop();
    await engine.clear();
  });

  /** The files of a client in a folder, by their names in Docker. */
  function clientFiles(folder: string): void {
    mkdirSync(folder, { recursive: true });
    copyFileSync(join(engine.folder, 'tls.crt'), join(folder, 'ca.pem'));
    copyFileSync(join(engine.folder, 'tls.crt'), join(folder, 'cert.pem'));
    copyFileSync(join(engine.folder, 'tls.key'), join(folder, 'key.pem'));
  }

  async function expectTasksToRun(live: LiveRunner): Promise<void> {
    const printed = await live.gantry('run', '--network', 'none', '--gpus', '1', IMAGE, 'sh', '-c', 'env | grep GIVEN');
    expect(printed).toMatchObject({ status: 0, out: 'GIVEN_0=1\n' });
    const failed = await live.gantry('run', '--network', 'none', IMAGE, 'sh', '-c', 'exit 3');
    expect(failed).toMatchObject({ status: 3 });
  }

  test('over TCP with TLS, and not without the certificate of a client', async () => {
    runner = new LiveRunner(`tcp://127.0.0.1:${port}`);
    const refused = await runner.gantryWith({ DOCKER_TLS_VERIFY: '1', DOCKER_CONFIG: runner.folder }, 'check');
    expect(refused).toMatchObject({ status: 1, err: '' });
    expect(refused.out).toMatch(/tcp:\/\/127\.0\.0\.1:\d+: self-signed certificate/);
    clientFiles(join(runner.folder, 'certs'));
    runner.env = { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: join(runner.folder, 'certs') };
    await runner.start();
    await expectTasksToRun(runner);
  });

  test('by the current context of the Docker command line', async () => {
    runner = new LiveRunner(undefined);
    const config = join(runner.folder, 'docker');
    const id = createHash('sha256').update('lab').digest('hex');
    clientFiles(join(config, 'contexts/tls', id, 'docker'));
    mkdirSync(join(config, 'contexts/meta', id), { recursive: true });
    const docker = { Host: `tcp://127.0.0.1:${port}`, SkipTLSVerify: false };
    writeFileSync(
      join(config, 'contexts/meta', id, 'meta.json'),
      JSON.stringify({ Name: 'lab', Endpoints: { docker } }),
    );
    writeFileSync(join(config, 'config.json'), JSON.stringify({ currentContext: 'lab' }));
    runner.env = { DOCKER_CONFIG: config };
    await runner.start();
    await expectTasksToRun(runner);
  });

  (whyNoDockerCommand() === undefined ? test : test.skip)('through SSH', async () => {
    runner = new LiveRunner('ssh://lab@gpu-box:2222');
    // In place of a second machine: the command that ssh is given, run here.
    const remote = [
      '[ "$1 $2 $3 $4" = "-T -o BatchMode=yes -o" ] || exit 255',
      'while [ "$1" != -- ]; do shift; done',
      'shift 2',
    ];
    runner.install('ssh', [...remote, `DOCKER_HOST=${engine.host} exec "$@"`].join('\n'));
    await runner.start();
    await expectTasksToRun(runner);
    expect((await runner.client.status()).engine).toBe('ssh://lab@gpu-box:2222');
  });
});

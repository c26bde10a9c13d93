/**
 * The commands of docs/docker.md, "Start", as a reader types them, on an engine with a device and on one without.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LiveEngine } from './live-engine';
import { LiveRunner, type Printed } from './live-runner';
import { buildEngine, whyNoEngine } from './programs';

const suite = whyNoEngine() === undefined ? describe : describe.skip;
const ROOT = join(__dirname, '../../..');
const [, START] = readFileSync(join(ROOT, 'docs/docker.md'), 'utf8').split(/^## /m);
/** Installing, checking and serving comes first. */
const [INSTALL, HELLO, DEVICE, QUEUE] = [...START.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, commands]) => commands);

let engine: LiveEngine | undefined;
let runner: LiveRunner | undefined;

/** Runs commands in a shell in which `gantry` is the built command. */
async function typed(commands: string): Promise<Printed> {
  const script = `set -e\ngantry() { ${process.execPath} ${join(ROOT, 'bin/gantry')} "$@"; }\n${commands}`;
  const child = spawn('sh', ['-c', script], { env: { ...process.env, GANTRY_DOCKER_SOCKET: runner!.socket } });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const status = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { status, out, err };
}

async function begin(devices: number): Promise<void> {
  engine = await LiveEngine.start(
    buildEngine((line) => process.stdout.write(`${line}\n`)),
    devices,
  );
  await engine.tag('busybox');
  await engine.tag('nvidia/cuda:13.0.1-base-ubuntu24.04');
  runner = new LiveRunner(engine.host);
  await runner.start();
}

suite('the first commands of the documentation', () => {
  afterEach(async () => {
    await runner?.stop();
    await engine?.stop();
  });

  test('on a host with a device', async () => {
    await begin(1);
    expect(INSTALL).toMatch(/^npm install -g cdk8s-gantry libsql@[\d.]+\ngantry docker check\ngantry docker serve\n$/);
    expect(await typed(HELLO)).toMatchObject({ status: 0, out: 'hello\n' });
    expect(await typed(DEVICE)).toMatchObject({ status: 0, out: 'GIVEN_0=1\n' });
    const { status, out, err } = await typed(QUEUE);
    expect({ status, err }).toEqual({ status: 0, err: expect.not.stringMatching(/Error/) as string });
    expect(out).toMatch(/^3\n11\n[^]*epoch 1\nepoch 2\n/);
    const tasks = await runner!.client.show('sweep');
    expect(tasks.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'succeeded'));
    // It was submitted last.
    const [train] = await runner!.client.show('train');
    expect(Date.parse(train.startedAt!)).toBeLessThan(Date.parse(tasks[7].startedAt!));
  });

  test('on a host without', async () => {
    await begin(0);
    expect(await typed(HELLO)).toMatchObject({ status: 0, out: 'hello\n' });
    const { status, out } = await typed(QUEUE.replaceAll('--gpus 1 ', ''));
    expect([status, out]).toEqual([0, expect.stringMatching(/epoch 1\nepoch 2\n/) as string]);
  });
});

/**
 * A program that starts an engine and is asked to end, as a bench that is interrupted: nothing of it is left.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildEngine, whyNoEngine } from './programs';

const suite = whyNoEngine() === undefined ? describe : describe.skip;

suite('a program that starts an engine', () => {
  let programs: string;

  beforeAll(() => {
    programs = buildEngine(() => undefined);
  });

  const runs = (pid: string): boolean => spawnSync('sh', ['-c', `ps -o stat= -p ${pid} | grep -qv Z`]).status === 0;

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('stops it when it gets %s', async (signal, status) => {
    const program = `
      const { LiveEngine } = require(${JSON.stringify(join(__dirname, 'live-engine.ts'))});
      require(${JSON.stringify(join(__dirname, '../control-plane/started.ts'))}).stopStartedOnSignal();
      LiveEngine.start(${JSON.stringify(programs)}, 1).then(({ folder }) => process.stdout.write(folder + '\\n'));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const folder = await new Promise<string>((resolve, reject) => {
      child.on('error', reject);
      child.stdout.setEncoding('utf8').once('data', (text: string) => resolve(text.trim()));
    });
    const pids = ['pid', 'exec/containerd/containerd.pid'].map((file) =>
      readFileSync(join(folder, file), 'utf8').trim(),
    );
    expect(pids.filter(runs)).toEqual(pids);
    child.kill(signal);
    expect(await ended).toBe(status);
    expect(pids.filter(runs)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });
});

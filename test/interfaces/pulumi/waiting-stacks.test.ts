import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { QUIET } from '../../../src/interfaces/pulumi/stall-watch';
import { stackOf } from './circular-program';
import { mockedEngine } from './mocked-engine';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets a time pass, in steps in which promises settle. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 1_000) {
    await jest.advanceTimersByTimeAsync(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('stacks that wait for each other', () => {
  it('go on with the objects that have their values, where both take the other by a deferred output', async () => {
    const engine = await mockedEngine();
    const [ofSecond, resolveSecond] = pulumi.deferredOutput<string>();
    const [ofFirst, resolveFirst] = pulumi.deferredOutput<string>();
    const first = stackOf('first', ofSecond);
    const second = stackOf('second', ofFirst);
    resolveSecond(second.get('second/ns').metadata.uid);
    resolveFirst(first.get('first/ns').metadata.uid);
    await pass(2 * QUIET.short);
    await Promise.all([first.done, second.done]);
    expect(engine.find('first/uses').inputs.data).toEqual({ value: 'uid-of-second/ns' });
    expect(engine.find('second/uses').inputs.data).toEqual({ value: 'uid-of-first/ns' });
  });

  it('go on where an object waits for another one of its own stack', async () => {
    const engine = await mockedEngine();
    const [own, resolve] = pulumi.deferredOutput<string>();
    const stack = stackOf('lab', own);
    resolve(stack.get('lab/ns').metadata.uid);
    await pass(2 * QUIET.short);
    await stack.done;
    expect(engine.find('lab/uses').inputs.data).toEqual({ value: 'uid-of-lab/ns' });
  });

  it('do so at once where the process would end', async () => {
    const engine = await mockedEngine();
    const [own, resolve] = pulumi.deferredOutput<string>();
    const stack = stackOf('lab', own);
    resolve(stack.get('lab/ns').metadata.uid);
    await new Promise((next) => setImmediate(next));
    process.emit('beforeExit', 0);
    await stack.done;
    expect(engine.find('lab/uses').inputs.data).toEqual({ value: 'uid-of-lab/ns' });
  });

  it('end with one sentence after a long time, where nothing gives the value', async () => {
    const engine = await mockedEngine();
    const [never] = pulumi.deferredOutput<string>();
    const { done } = stackOf('lab', never);
    const ends = expect(done).rejects.toThrow(/^lab\/uses: waits for an Output that gets no value/);
    await pass(QUIET.long + QUIET.short);
    await ends;
    expect(engine.registered.map(({ name }) => name)).toEqual(['lab']);
  });

  it('end with one sentence at once, where no object can be the first and the process has nothing else to do', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--require', require.resolve('tsx/cjs'), join(__dirname, 'circular-program.ts')],
      { encoding: 'utf8' },
    );
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/(first|second)\/uses: waits for an Output that gets no value/);
  }, 120_000);

  it('wait as long as a call to the engine takes', async () => {
    let finish: (() => void) | undefined;
    const engine = await mockedEngine(false, () => new Promise((resolve) => (finish = () => resolve())));
    class Database extends pulumi.CustomResource {
      declare readonly address: pulumi.Output<string>;
      constructor() {
        super('test:index:Database', 'slow', { address: 'db.example.com' });
      }
    }
    const stack = stackOf('lab', new Database().address);
    const uid = stack.get('lab/ns').metadata.uid;
    await pass(2 * QUIET.long);
    expect(engine.registered.map(({ name }) => name)).toEqual(['lab']);
    finish?.();
    await stack.done;
    expect(engine.find('lab/uses').inputs.data).toEqual({ value: 'db.example.com' });
    expect(await pulumi.isSecret(uid)).toBe(false);
  });
});

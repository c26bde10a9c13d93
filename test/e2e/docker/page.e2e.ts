/**
 * The page of a runner with a real engine behind it: opened by the link of `gantry docker page`, in a browser.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { CHROMIUM, Looker, until as seen } from '../../browser/browser';
import { IMAGE, LiveEngine } from './live-engine';
import { COMMAND, LiveRunner, until } from './live-runner';
import { buildEngine, whyNoEngine } from './programs';

const suite = whyNoEngine() === undefined && CHROMIUM !== undefined ? describe : describe.skip;

suite('the page of the Docker runner', () => {
  let engine: LiveEngine;
  let runner: LiveRunner;
  let command: ChildProcess | undefined;
  const looker = new Looker();

  beforeAll(async () => {
    engine = await LiveEngine.start(
      buildEngine((line) => process.stdout.write(`${line}\n`)),
      2,
    );
    runner = new LiveRunner(engine.host);
    await runner.start();
  }, 1_800_000);

  afterAll(async () => {
    command?.kill();
    await looker.close();
    await runner?.stop();
    await engine?.stop();
  });

  test('a task is submitted, its output is followed, and it is canceled', async () => {
    command = spawn(process.execPath, [COMMAND, 'docker', '--socket', runner.socket, 'page'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const link = await linkOf(command);
    const { page, complaints } = await looker.visit(link, { width: 1280, scheme: 'light' }, '#view[data-drawn]');
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByLabel('Image').fill(IMAGE);
    await page.getByLabel('Command').fill(`sh -c 'while true; do echo "on $GANTRY_TASK"; sleep 1; done'`);
    await page.getByLabel('Name', { exact: true }).fill('followed');
    await page.getByLabel('GPUs').selectOption('whole');
    await page.getByRole('button', { name: 'Queue task' }).click();
    await page.locator('.devices').getByRole('button', { name: 'followed' }).click();
    await seen(async () => /on .*\non /.test((await page.locator('.output pre').textContent()) ?? ''));
    await page.getByRole('button', { name: 'Cancel task' }).click();
    const [{ id }] = await runner.client.show('followed');
    await until('it is canceled', async () => (await runner.task(id)).state === 'canceled');
    await seen(async () => (await page.locator('dialog .rows').textContent())?.includes('canceled') === true);
    await page.keyboard.press('Escape');
    await seen(async () => (await page.locator('.devices').textContent())?.includes('followed') === false);
    expect(complaints).toEqual([]);
  }, 120_000);
});

/** The link that the command prints. */
async function linkOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const link = /http:\S+/.exec(line)?.[0];
    if (link !== undefined) {
      return link;
    }
  }
  throw new Error('the command printed no link');
}

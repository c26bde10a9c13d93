/**
 * The page of a Docker runner, looked at in a browser: over the link of `gantry docker page`, with a real service behind it.
 */
import { type Page } from 'playwright-core';
import { RunnerClient } from '../../src/runtime/docker/service/client';
import { LocalPage } from '../../src/runtime/docker/service/local-page';
import { busyHost, type DockerHost } from '../support/docker-host';
import {
  CHROMIUM,
  faintControls,
  faintTexts,
  type Look,
  Looker,
  LOOKS,
  type Opened,
  overflow,
  squeezed,
  until,
} from './browser';

const WIDE = { width: 1280, scheme: 'light' } as const;
const PICTURES = process.env.GANTRY_PICTURES;

const looker = new Looker();
const suite = CHROMIUM === undefined ? describe.skip : describe;

let host: DockerHost;
let pages: LocalPage[] = [];

beforeEach(async () => {
  host = busyHost();
  await host.listen();
});
afterEach(async () => {
  await Promise.all(pages.map((page) => page.close()));
  pages = [];
  await host.close();
});
afterAll(() => looker.close());

async function open(look: Look, socket = host.socket): Promise<Opened & { readonly link: string }> {
  const local = new LocalPage(new RunnerClient(socket), () => undefined);
  pages.push(local);
  await local.listen(0);
  const { link } = local;
  const opened = await looker.visit(link, look, '#view[data-drawn] .history');
  return { ...opened, link };
}

/** Pictures for people, where GANTRY_PICTURES names a folder. */
async function picture(page: Page, name: string, { width, scheme }: Look): Promise<void> {
  if (PICTURES !== undefined) {
    await page.screenshot({ path: `${PICTURES}/${name}-${width}-${scheme}.png`, fullPage: name === 'runner' });
  }
}

async function looksRight(page: Page): Promise<void> {
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await squeezed(page)).toEqual([]);
  expect(await faintTexts(page)).toEqual([]);
  expect(await faintControls(page)).toEqual([]);
}

suite('the page of a Docker runner', () => {
  test.each(LOOKS)('at $width px, $scheme: everything is shown, and every text stands out', async (look) => {
    const { page, complaints } = await open(look);
    expect(await page.locator('h1').textContent()).toBe('6 of 8 devices in use, 4 tasks run, 3 wait');
    expect(await page.locator('.device').count()).toBe(8);
    await looksRight(page);
    await picture(page, 'runner', look);
    await page.getByRole('button', { name: 'pretrain' }).click();
    await until(async () => /Why it waits/.test((await page.locator('dialog').textContent()) ?? ''));
    await looksRight(page);
    await picture(page, 'task', look);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New task' }).click();
    await page.getByText('More', { exact: true }).click();
    await looksRight(page);
    await picture(page, 'form', look);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await looksRight(page);
    await picture(page, 'sign-in', look);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('the output of a task comes as it is written, and a running task is canceled', async () => {
    const task = host.running({ name: 'live', image: 'busybox' }, [5]);
    host.write(task, 'first line\nepoch 1: 10%\r');
    const { page, complaints } = await open(WIDE);
    const name = page.locator('section[aria-labelledby=open-title]').getByRole('button', { name: 'live' });
    await name.click();
    const output = page.locator('.output pre');
    await until(async () => (await output.textContent()) === 'first line\nepoch 1: 10%');
    host.write(task, 'epoch 1: 100%\n\u001B[32mdone\u001B[0m <b>now</b>\n');
    await until(async () => (await output.textContent()) === 'first line\nepoch 1: 100%\ndone <b>now</b>\n');
    await page.getByRole('button', { name: 'Cancel task' }).click();
    await until(() => Promise.resolve(host.runner.ledger.get(task.id)?.state === 'stopping'));
    await until(async () => (await page.locator('dialog .rows').textContent())?.includes('stopping') === true);
    expect(await page.getByRole('button', { name: 'Cancel task' }).isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await until(async () => (await page.locator('dialog').count()) === 0);
    expect(await page.evaluate<string>('document.activeElement.dataset.key')).toBe(`task ${task.id}`);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a task is submitted by keyboard, and what the runner refuses is shown', async () => {
    const { page, complaints } = await open(WIDE);
    await page.getByRole('button', { name: 'New task' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Queue task' }).click();
    expect(await page.locator('.form-status').textContent()).toBe('Enter the image.');
    expect(await page.evaluate<string>('document.activeElement.name')).toBe('image');
    await page.keyboard.type('busybox');
    await page.keyboard.press('Tab');
    await page.keyboard.type(`sh -c 'echo "two words"'`);
    await page.getByLabel('GPUs').selectOption('whole');
    await page.getByLabel('Number').fill('2');
    await page.locator('select[name=tenant]').selectOption('bob');
    await page.getByRole('button', { name: 'Where would it start?' }).click();
    await until(async () => /would wait: /.test((await page.locator('.form-status').textContent()) ?? ''));
    await page.getByLabel('Name', { exact: true }).fill('Not A Name');
    await page.getByRole('button', { name: 'Queue task' }).click();
    await until(async () =>
      /name: must consist of lowercase/.test((await page.locator('.form-status').textContent()) ?? ''),
    );
    await page.getByLabel('Name', { exact: true }).fill('ok');
    await page.keyboard.press('Enter');
    await until(async () => (await page.locator('dialog').count()) === 0);
    const [task] = host.runner.named('ok');
    expect(task.spec).toMatchObject({
      image: 'busybox',
      command: ['sh', '-c', 'echo "two words"'],
      tenant: 'bob',
      devices: { kind: 'whole', count: 2 },
    });
    await until(
      async () =>
        (await page.locator('section[aria-labelledby=open-title]').getByRole('button', { name: 'ok' }).count()) === 1,
    );
    // The browser reports the status 400 itself.
    expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await page.context().close();
  });

  test('what tenants write is text, wherever it is shown', async () => {
    const attack = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const task = host.running({ name: attack, tenant: 'bob', image: attack, command: [attack] }, [5]);
    host.queued({
      name: `q${attack}`,
      image: attack,
      command: [attack],
      devices: { kind: 'whole', count: 1, models: [attack] },
    });
    host.ended({ name: `e${attack}`, image: attack, command: [attack] }, 1, attack);
    host.write(task, `${attack}\n`);
    const { page, complaints } = await open(WIDE);
    await page.locator('section[aria-labelledby=open-title]').getByRole('button', { name: attack }).first().click();
    await until(async () => (await page.locator('.output pre').textContent())?.includes(attack) === true);
    expect(await page.locator('img, #view script').count()).toBe(0);
    expect(await page.title()).toBe('gpu-host (Docker runner)');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('a tenant sees its own tasks only, and cannot drain', async () => {
    const { page, complaints } = await open(WIDE, host.socketOf('bob'));
    expect(await page.locator('.lead').first().textContent()).toContain('you are tenant bob');
    const text = (await page.locator('#view').textContent()) ?? '';
    expect(text).not.toMatch(/llama-finetune|alice|carol/);
    expect(text).toContain('1 task of other tenants');
    expect(await page.getByRole('button', { name: /Drain/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('an administrator takes a device out of service', async () => {
    const { page } = await open(WIDE);
    await page.getByRole('button', { name: 'Drain device 5' }).click();
    await page.getByRole('button', { name: 'Resume device 5' }).waitFor();
    expect(host.runner.status().drained).toEqual([host.inventory.devices[5].id]);
    await page.context().close();
  });

  test('a link works once, a reload goes on, and the code does not stay in the address', async () => {
    const { page, link } = await open(WIDE);
    expect(page.url()).toBe(link.replace(/#.*/, ''));
    await page.reload();
    await page.locator('#view[data-drawn]').waitFor();
    const again = await page.context().newPage();
    await again.goto(link);
    await again.locator('.sign-in').waitFor();
    expect(await again.locator('[role=alert]').textContent()).toContain('This link was used before.');
    await page.context().close();
  });
});

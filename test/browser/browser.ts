/**
 * A headless Chromium that looks at pages, and what every page has to hold.
 *
 * It is one that is on the machine already (`CHROMIUM`, or a usual place); where there is none the suites are skipped and say so.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const PLACES = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const CHROMIUM = PLACES.find((place) => place !== '' && existsSync(place));

/** For what a page comes to, milliseconds. */
const PATIENCE = 45_000;

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

export const LOOKS: readonly Look[] = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
);

/** A page that is open, with everything that went wrong on it. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, and whatever it asked the network for. */
  readonly complaints: readonly string[];
}

export class Looker {
  private browser: Browser | undefined;
  private readonly folder = mkdtempSync(join(tmpdir(), 'gantry-pages-'));

  async open(html: string, { width, scheme }: Look): Promise<Opened> {
    const file = join(this.folder, 'page.html');
    writeFileSync(file, html);
    return this.visit(`file://${file}`, { width, scheme });
  }

  /** @param drawn selects what is there once the page has been drawn */
  async visit(address: string, { width, scheme }: Look, drawn = '.pane-frame[data-drawn]'): Promise<Opened> {
    this.browser ??= await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    const context = await this.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      reducedMotion: 'reduce',
    });
    // Far more than a busy machine takes, and less than a test has.
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(address.replace(/[^/]*$/, '')) && !request.url().startsWith('data:')) {
        complaints.push(`asks for ${request.url()}`);
      }
    });
    await page.goto(address);
    await page.waitForSelector(drawn);
    return { page, complaints };
  }

  async close(): Promise<void> {
    await this.browser?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** How far the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
}

/** Texts in tables that have so little width that they are broken within words. */
export function squeezed(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(
    `[...document.querySelectorAll('td')].filter((cell) => cell.offsetHeight > 110).map((cell) => cell.textContent).slice(0, 5)`,
  );
}

/** Different colors on the first picture. */
export function colorsDrawn(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const canvas = document.querySelector('.pane canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(data[i] * 65536 + data[i + 1] * 256 + data[i + 2]);
    return seen.size;
  })()`);
}

const COLOR = `
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const rgba = (css) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);`;

/** Texts that stand out too little from what is behind them (WCAG 2.2 AA: 4.5, or 3 where they are large). */
export function faintTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {${COLOR}
    const behind = (element) => {
      for (let at = element; at !== null; at = at.parentElement) {
        const color = rgba(getComputedStyle(at).backgroundColor);
        if (color[3] === 255) return color;
      }
      return rgba('white');
    };
    const faint = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement;
      const style = getComputedStyle(element);
      if (node.textContent.trim() === '' || ['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName) || !element.checkVisibility()) continue;
      const size = parseFloat(style.fontSize);
      const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
      const found = contrast(rgba(style.color), behind(element));
      if (found < least) faint.add(element.tagName + '.' + element.className + ' ' + found.toFixed(2) + ': ' + node.textContent.slice(0, 40));
    }
    return [...faint];
  })()`);
}

/** Colors of the pictures that stand out too little from their background (3, as for all that is not text). */
export function faintColors(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {${COLOR}
    const style = getComputedStyle(document.documentElement);
    const of = (name) => rgba(style.getPropertyValue(name).trim());
    return ['--c0', '--c1', '--c2', '--c3', '--c4', '--c5', '--c6', '--c7', '--c8', '--c9', '--other', '--accent', '--bad', '--good', '--mark', '--free-line']
      .filter((name) => contrast(of(name), of('--surface')) < 3);
  })()`);
}

/** Controls whose edge stands out too little from the card (3, as for all that shows where a control is). */
export function faintControls(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>(`(() => {${COLOR}
    const surface = rgba(getComputedStyle(document.documentElement).getPropertyValue('--surface').trim());
    return [...document.querySelectorAll('input:not([type=checkbox]), select, textarea, .segments, button.quiet, button.filter')]
      .filter((control) => control.checkVisibility() && control.getAttribute('aria-pressed') !== 'true')
      .filter((control) => contrast(rgba(getComputedStyle(control).borderTopColor), surface) < 3)
      .map((control) => control.tagName + '.' + control.className);
  })()`);
}

/** A rectangle of a picture, CSS pixels. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** What is drawn in an area of the picture. */
export interface Drawn {
  /** The highest contrast of a pixel to the card behind the picture. */
  readonly contrast: number;
  /** Part of the pixels with a contrast of at least 3. */
  readonly covered: number;
}

/** What the first picture of a page shows in each area. */
export function drawnIn(page: Page, areas: readonly Area[]): Promise<readonly Drawn[]> {
  return page.evaluate<Drawn[]>(`(() => {${COLOR}
    const surface = rgba(getComputedStyle(document.documentElement).getPropertyValue('--surface').trim());
    const picture = document.querySelector('.pane canvas').getContext('2d');
    return ${JSON.stringify(areas)}.map(({ x, y, width, height }) => {
      const { data } = picture.getImageData(Math.round(x), Math.round(y), Math.max(1, Math.round(width)), Math.max(1, Math.round(height)));
      const found = [];
      for (let i = 0; i < data.length; i += 4) {
        const a = data[i + 3] / 255;
        found.push(contrast([0, 1, 2].map((c) => data[i + c] * a + surface[c] * (1 - a)), surface));
      }
      return { contrast: Math.max(...found), covered: found.filter((value) => value >= 3).length / found.length };
    });
  })()`);
}

/** Width that the first picture has. */
export function pictureWidth(page: Page): Promise<number> {
  return page.evaluate<number>(`document.querySelector('.pane').clientWidth`);
}

/** Waits for what a page comes to. Asked from outside, since pages let no text be run as code, which Playwright's own waiting needs. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE; !(await isSo());) {
    if (Date.now() > deadline) {
      throw new Error('it did not come true');
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** The page is drawn, fits the screen, and complains about nothing; no text is squeezed or faint. */
export async function expectDrawn(looker: Looker, html: string, look: Look): Promise<void> {
  const { page, complaints } = await looker.open(html, look);
  expect(await overflow(page)).toBeLessThanOrEqual(0);
  expect(await colorsDrawn(page)).toBeGreaterThan(2);
  expect(await squeezed(page)).toEqual([]);
  expect(await faintTexts(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.context().close();
}

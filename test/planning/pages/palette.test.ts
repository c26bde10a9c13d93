/**
 * The colors of gangs and queues can be told apart by everybody, and stand out from what they lie on, in light and in dark.
 *
 * Deficiencies are simulated after Machado, Oliveira and Fernandes (2009) at full severity; distance is CIE76 in L*a*b*.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Triple = readonly [number, number, number];

const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
  ordinary: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** About five times what is just noticed beside each other. */
const LEAST_DISTANCE = 12;

const [light, dark] = readFileSync(
  join(__dirname, '../../..', 'src', 'planning', 'pages', 'client', 'style.css'),
  'utf8',
).split('prefers-color-scheme: dark');

function color(sheet: string, name: string): Triple {
  const hex = new RegExp(`${name}: #([0-9a-f]{6});`).exec(sheet)![1];
  const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return [0, 2, 4].map((at) => linear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as unknown as Triple;
}

function seen(vision: readonly Triple[], [r, g, b]: Triple): Triple {
  return vision.map((row) => Math.min(1, Math.max(0, row[0] * r + row[1] * g + row[2] * b))) as unknown as Triple;
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function lab([r, g, b]: Triple): Triple {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = f(luminance([r, g, b]));
  const z = f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const NAMES = [...Array.from({ length: 10 }, (_, i) => `--c${i}`), '--other'];

describe.each([
  ['light', light],
  ['dark', dark],
])('%s', (_, sheet) => {
  test.each(Object.entries(VISIONS))('colors are apart for %s', (_name, vision) => {
    const places = NAMES.map((name) => ({ name, at: lab(seen(vision, color(sheet, name))) }));
    const near = places.flatMap((a, i) =>
      places
        .slice(i + 1)
        .map((b) => ({ pair: `${a.name} ${b.name}`, far: Math.hypot(...a.at.map((v, k) => v - b.at[k])) })),
    );
    expect(near.filter(({ far }) => far < LEAST_DISTANCE)).toEqual([]);
  });

  test('colors stand out from the surface by three to one', () => {
    const surface = luminance(color(sheet, '--surface'));
    const contrast = (name: string): number => {
      const own = luminance(color(sheet, name));
      return (Math.max(own, surface) + 0.05) / (Math.min(own, surface) + 0.05);
    };
    expect(NAMES.filter((name) => contrast(name) < 3)).toEqual([]);
  });
});

/**
 * What V8 compiled of a bundle is kept for the next run. Each load is in a process of its own, as the data is written when a process ends.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Workplace } from './fake-terminal';

const LIB = join(__dirname, '../../../lib/interfaces/cli/compile-cache.js');
const CONTENTS = `// contents ${'0123456789abcdef'.repeat(4)}\n`;

let place: Workplace;
let folder: string;
let bundle: string;
beforeEach(() => {
  place = new Workplace();
  folder = join(place.folder, 'cdk8s-gantry');
  bundle = join(place.folder, place.write('bundle.js', program('first')));
});
afterEach(() => place.remove());

function program(text: string, end = CONTENTS): string {
  return `exports.say = function say() { return '${text}'; };\nexports.place = __filename + ' ' + require('node:path').basename(__dirname);\n${end}`;
}

/** What the loaded bundle says. */
function load(env: NodeJS.ProcessEnv = {}): string {
  const script = `console.log(require(${JSON.stringify(LIB)}).requireCompiled(${JSON.stringify(bundle)}).say())`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: place.folder, LOCALAPPDATA: place.folder, ...env },
  });
  return `${stdout}${stderr}`.trim();
}

function cached(): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function changedAt(data: Buffer, index: number): Buffer {
  const changed = Buffer.from(data);
  changed[index] ^= 0x5a;
  return changed;
}

test('the compiled code of a bundle with the same contents is used', () => {
  expect(load()).toBe('first');
  expect(cached()).toHaveLength(1);
  // Of a bundle with other contents under the same name and length, only code that was not compiled again can say `first`.
  writeFileSync(bundle, program('other'));
  expect(load()).toBe('first');
  writeFileSync(bundle, program('other', CONTENTS.replace('0123', '3210')));
  expect(load()).toBe('other');
  expect(cached()).toHaveLength(2);
});

test('a bundle finds itself and other modules as if it were required', () => {
  const script = `console.log(require(${JSON.stringify(LIB)}).requireCompiled(${JSON.stringify(bundle)}).place)`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: place.folder },
  });
  expect(stdout.trim()).toBe(`${bundle} ${place.folder.split('/').at(-1)}`);
});

test('data that is damaged or that V8 rejects is replaced, and other data is kept', () => {
  load();
  const [file] = cached();
  const whole = readFileSync(file);
  const { ino } = statSync(file);
  expect(load()).toBe('first');
  expect(statSync(file).ino).toBe(ino);
  // V8 does not notice a changed byte, and may crash.
  const damaged = [0, 0.5, 0.95].map((part) => changedAt(whole, Math.floor(part * whole.length)));
  for (const broken of [
    whole.subarray(0, whole.length >> 1),
    Buffer.alloc(whole.length),
    Buffer.from(''),
    ...damaged,
  ]) {
    writeFileSync(file, broken);
    expect(load()).toBe('first');
    expect(readFileSync(file).equals(broken)).toBe(false);
  }
});

describe('where other users can write', () => {
  test('a file is replaced without being read', () => {
    load();
    const [file] = cached();
    chmodSync(file, 0o666);
    writeFileSync(bundle, program('other'));
    expect(load()).toBe('other');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a folder is not used', () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    expect(load()).toBe('first');
    expect(cached()).toEqual([]);
  });
});

test('nothing is kept of a bundle without its contents, with NODE_DISABLE_COMPILE_CACHE, or without a folder for it', () => {
  expect(load({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('first');
  expect(load({ XDG_CACHE_HOME: bundle, LOCALAPPDATA: bundle })).toBe('first');
  writeFileSync(bundle, program('first', ''));
  expect(load()).toBe('first');
  expect(cached()).toEqual([]);
});

test('the sixteen newest files are kept, and no other file is removed', () => {
  mkdirSync(folder, { mode: 0o700 });
  const old = Array.from({ length: 17 }, (_, age) => {
    const file = join(
      folder,
      `bundle-${String(age).padStart(32, '0')}-v20.1.${age}-x64.v8${age === 16 ? '.1234' : ''}`,
    );
    writeFileSync(file, 'of another version');
    utimesSync(file, 1_000_000 - age, 1_000_000 - age);
    return file;
  });
  const foreign = join(folder, 'notes.v8');
  writeFileSync(foreign, 'of the user');
  utimesSync(foreign, 1, 1);

  expect(load()).toBe('first');

  const left = cached();
  expect(left).toHaveLength(17);
  expect(left).toContain(foreign);
  expect(old.filter((file) => left.includes(file))).toEqual(old.slice(0, 15));
});

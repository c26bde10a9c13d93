import { keyOf, resolvePlain } from '../../../src/manifests/texts/yaml-scalars';

describe('an unquoted word is read as go-yaml 2 reads it', () => {
  test.each([
    ['yes', true],
    ['No', false],
    ['ON', true],
    ['off', false],
    ['y', true],
    ['N', false],
    ['true', true],
    ['False', false],
    ['~', null],
    ['', null],
    ['null', null],
    ['Null', null],
    ['0777', 511],
    ['0o17', 15],
    ['0x1F', 31],
    ['-0b11', -3],
    ['0b+11', 3],
    ['0b-11', -3],
    ['1_000', 1000],
    ['+12', 12],
    ['-0', 0],
    ['007', 7],
    ['08', 8],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1.', 1],
    ['+.5', 0.5],
    ['3.0', 3],
    ['-1.5e-2', -0.015],
    ['18446744073709551616', 2 ** 64],
  ])('%j is %j', (text, value) => {
    expect(resolvePlain(text).value).toBe(value);
  });

  test.each([
    'yEs',
    'nULL',
    '2020-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '12:30:45',
    '1e400',
    '.',
    '-',
    '+',
    '0x',
    '0b2',
    '-0b+11',
    '+0b-11',
    '_1',
    '1.2.3',
    '500m',
    '16Gi',
    '<<',
    'Off!',
  ])('%j is a text', (text) => {
    expect(resolvePlain(text).value).toBe(text);
  });

  test('an integer that a double cannot hold is marked', () => {
    expect(resolvePlain('9007199254740993')).toMatchObject({ tag: 'int', inexact: true });
    expect(resolvePlain('9007199254740992').inexact).toBe(false);
    expect(resolvePlain('0x20000000000001').inexact).toBe(true);
    expect(resolvePlain('42').inexact).toBeUndefined();
  });

  test('infinity and not-a-number are floats', () => {
    expect(resolvePlain('.nan')).toMatchObject({ tag: 'float', value: NaN });
    expect(resolvePlain('-.Inf')).toMatchObject({ tag: 'float', value: -Infinity });
  });
});

test('map keys become the text that kubectl makes of them', () => {
  const key = (text: string): string | undefined => keyOf(resolvePlain(text));
  expect(['on', '0777', '1.50', 'name', '-.inf', '~'].map(key)).toEqual([
    'true',
    '511',
    '1.5',
    'name',
    '-.inf',
    undefined,
  ]);
});

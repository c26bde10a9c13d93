import { withShortNames, withShortValues } from '../../../src/checks/report/long-values';

const LONG = 'a'.repeat(200);
const CUT = `${'a'.repeat(80)}…`;

describe('values in a message', () => {
  test.each([
    ['stay whole up to 80 characters', `the name "${'a'.repeat(80)}" must be empty`, undefined],
    ['are cut after 80', `the name "${LONG}" must be empty`, `the name "${CUT}" must be empty`],
    ['are cut each', `the volume "${LONG}" and "b" of "${LONG}"`, `the volume "${CUT}" and "b" of "${CUT}"`],
    [
      'without quotes are cut',
      `the mount path /${LONG} is listed twice`,
      `the mount path /${'a'.repeat(79)}… is listed twice`,
    ],
    ['leave the sentence between them', `"a" ${'must be one of these '.repeat(6)}"b"`, undefined],
    ['are not cut inside an escape', `"${'a'.repeat(79)}\\"${LONG}" is unknown`, `"${'a'.repeat(79)}…" is unknown`],
    ['are not cut inside a character', `"${'a'.repeat(79)}😀${LONG}" is unknown`, `"${'a'.repeat(79)}…" is unknown`],
    ['leave a sentence with a mark of its own', `the text "${'must be one of these '.repeat(6)}`, undefined],
  ])('%s', (_, message, expected = message) => {
    expect(withShortValues(message)).toBe(expected);
  });
});

describe('values in a fix', () => {
  test.each([
    ['that it names are cut', `Rename the key "${LONG}" of data.`, `Rename the key "${CUT}" of data.`],
    [
      'to write stay whole',
      `Set name to "${LONG}", or add the Queue "${LONG}".`,
      `Set name to "${LONG}", or add the Queue "${CUT}".`,
    ],
    ['of a list stay whole', `Set args to ["${LONG}"].`, undefined],
  ])('%s', (_, fix, expected = fix) => {
    expect(withShortNames(fix)).toBe(expected);
  });
});

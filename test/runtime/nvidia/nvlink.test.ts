import * as fc from 'fast-check';
import { parseNvLinks } from '../../../src/runtime/nvidia/nvlink';

const linksOf = (text: string): Readonly<Record<number, number>> => Object.fromEntries(parseNvLinks(text));

test('counts the links with a speed, GPU by GPU', () => {
  const text = [
    'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5f6e1a77-0000-1111-2222-333344445555)',
    '\t Link 0: 26.562 GB/s',
    '\t Link 1: 26.562 GB/s',
    '\t Link 2: <inactive>',
    'GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-0a0b0c0d-0000-1111-2222-333344445555)',
    '\t Link 0: 26.562 GB/s',
    '',
  ].join('\n');
  expect(linksOf(text)).toEqual({ 0: 2, 1: 1 });
});

test('a GPU whose links are all inactive has none, and one without lines about links is not there', () => {
  const text =
    'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n\t Link 0: <inactive>\n\t Link 11: <inactive>\nGPU 1: NVIDIA L4 (UUID: GPU-2)\n';
  expect(linksOf(text)).toEqual({ 0: 0 });
});

test('a speed in another form, and links before any GPU, are not counted', () => {
  expect(
    linksOf('\t Link 0: 25 GB/s\nGPU 0: A (UUID: GPU-1)\n\t Link 0: 25 GB/s\n\t Link 1: Unknown\n\t Link 2: GB/s\n'),
  ).toEqual({ 0: 1 });
});

test('an error of the driver is no list', () => {
  expect(linksOf('NVML: Unable to retrieve NVLink information as all links are inActive\n')).toEqual({});
  expect(linksOf('')).toEqual({});
});

test('reads any text in linear time', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parseNvLinks(text).size <= text.split('\n').length));
  const long = `GPU 0: A\n${'\t Link 0: 1 GB/s\n'.repeat(50_000)}`;
  expect(linksOf(long)).toEqual({ 0: 50_000 });
});

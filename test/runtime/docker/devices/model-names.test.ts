import { isOfModels } from '../../../../src/runtime/docker/devices/model-names';

test.each([
  ['H100 80GB HBM3', 'H100'],
  ['H100 80GB HBM3', 'h100 80gb'],
  ['A100-SXM4-80GB', 'A100 80GB'],
  ['Instinct MI300X', 'MI300X'],
  ['RTX A6000', 'RTX-A6000'],
])('"%s" is asked for as %p', (model, asked) => {
  expect(isOfModels(model, [asked])).toBe(true);
  expect(isOfModels(model, ['T4', asked])).toBe(true);
});

test.each([
  ['A100-SXM4-80GB', 'A10'],
  ['L40S', 'L40'],
  ['H100 80GB HBM3', 'H100 PCIe'],
  ['H100 80GB HBM3', ''],
  ['H100 80GB HBM3', ' - '],
])('"%s" is not %p', (model, asked) => {
  expect(isOfModels(model, [asked])).toBe(false);
});

test('a device without a known model serves tasks that name none', () => {
  expect(isOfModels(undefined, undefined)).toBe(true);
  expect(isOfModels(undefined, ['H100'])).toBe(false);
});

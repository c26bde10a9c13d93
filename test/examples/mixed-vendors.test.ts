/**
 * The example with several vendors: free of findings, with an operator and a monitor of each vendor.
 */
import { App } from 'cdk8s';
import { mixedVendors } from '../../examples/mixed-vendors/main';
import { Testing } from '../../src/interfaces/testing';

test('has neither errors nor warnings', () => {
  const { findings } = Testing.check(mixedVendors(new App()));
  const serious = findings.filter(({ severity }) => severity !== 'info');
  expect(serious.map(({ rule, object, message }) => `${rule} ${object}: ${message}`)).toEqual([]);
});

test('installs the operator of each vendor, and monitors each', () => {
  const objects = Testing.synth(mixedVendors(new App()));
  const names = (kind: string): readonly unknown[] =>
    objects
      .filter((object) => object.kind === kind)
      .map(({ metadata }) => (metadata as { readonly name: string }).name);
  expect(names('HelmRelease')).toEqual(
    expect.arrayContaining([
      'gpu-operator',
      'gpu-operator-charts',
      'habana-ai-operator',
      'neuron-helm-chart',
      'volcano',
    ]),
  );
  expect(names('DeviceConfig')).toEqual(['amd-gpus']);
  expect(names('PrometheusRule')).toEqual(
    expect.arrayContaining(['gpu-monitoring', 'amd-monitoring', 'gaudi-monitoring', 'neuron-monitoring']),
  );
});

/**
 * Functions that a stack calls report mistakes as constructs do: each is made by `publicFunction`, or is in a list here that says why not.
 */
import * as gantry from '../../../src';

/** Questions about facts: what is not known is `undefined`, `false`, or an empty list. */
const QUESTIONS = [
  'catalog',
  'devices.deviceClassQuota',
  'gpuOperator.migLayoutProblems',
  'placement.hyperNodeLevel',
  'placement.hyperNodeTopology',
];
/** Programs that plan, rather than stacks: they take what `cluster.readCluster` and `cluster.planOf` return. */
const PROGRAMS = [
  'cluster.amountOf',
  'cluster.amountText',
  'cluster.changeText',
  'cluster.clusterOfObjects',
  'cluster.clusterView',
  'cluster.hasItsPlaces',
  'cluster.occupantsOf',
  'cluster.planOf',
  'cluster.planRules',
  'cluster.sampleCluster',
  'cluster.topologyText',
  'placement.decide',
];

/** What a program does with an app, a file, or a value, and may catch the error of. */
const CAUGHT = ['cluster.clusterOfValue', 'cluster.readCluster', 'cluster.readClusterFile', 'synthesize'];

const isFunction = (value: unknown): value is (...args: never[]) => unknown =>
  typeof value === 'function' && Object.getOwnPropertyDescriptor(value, 'prototype')?.writable !== false;

const functions = Object.entries(gantry).flatMap(([name, value]): readonly (readonly [string, string])[] => {
  const members = isFunction(value) || typeof value !== 'object' ? [['', value] as const] : Object.entries(value);
  return members.flatMap(([member, one]) =>
    isFunction(one) ? [[member === '' ? name : `${name}.${member}`, one.name] as const] : [],
  );
});

test('every function of the package is public, or is in a list that says why not', () => {
  expect(functions.length).toBeGreaterThan(40);
  const others = functions.filter(([name, own]) => name !== own).map(([name]) => name);
  const listed = (name: string): boolean =>
    [...QUESTIONS, ...PROGRAMS, ...CAUGHT].some((entry) => name === entry || name.startsWith(`${entry}.`));
  expect(others.filter((name) => !listed(name))).toEqual([]);
});

test('the functions that throw for what a stack passes are public', () => {
  const known = new Set(functions.filter(([name, own]) => name === own).map(([name]) => name));
  for (const name of [
    'catalog.acceleratorNamed',
    'catalog.dcgmMetric',
    'charts.chartInstall',
    'monitoring.gpuAlerts',
  ]) {
    expect([name, known.has(name)]).toEqual([name, true]);
  }
});

import * as gantry from '../../../src';

/** Every class of the entry point, by its path in it. */
function classes(exported: object, path = ''): readonly (readonly [string, object])[] {
  return Object.entries(exported).flatMap(([name, value]): readonly (readonly [string, object])[] => {
    const at = `${path}${name}`;
    if (typeof value === 'function') {
      return [[at, value as object]];
    }
    const isNamespace = path === '' && typeof value === 'object' && value !== null && !Array.isArray(value);
    return isNamespace ? classes(value as object, `${at}.`) : [];
  });
}

const EVERY_CLASS = classes(gantry);

test('what exists in the cluster is referred to by fromName, and by no other spelling', () => {
  const others = EVERY_CLASS.flatMap(([path, type]) =>
    Object.getOwnPropertyNames(type)
      .filter((name) => /^from.+Name$/.test(name))
      .map((name) => `${path}.${name}`),
  );
  expect(others).toEqual([]);
});

test.each([
  'Namespace',
  'PriorityClass',
  'devices.DeviceClass',
  'keda.ClusterTriggerAuthentication',
  'keda.TriggerAuthentication',
  'kueue.AdmissionCheck',
  'kueue.ClusterQueue',
  'kueue.Cohort',
  'kueue.LocalQueue',
  'kueue.ResourceFlavor',
  'kueue.Topology',
  'kueue.WorkloadPriorityClass',
  'nodeTuning.Ec2NodeClass',
  'trainer.ClusterTrainingRuntime',
  'trainer.TrainingRuntime',
  'volcano.HyperNode',
  'volcano.JobTemplate',
  'volcano.Queue',
])('%s.fromName takes the name alone and makes no construct', (path) => {
  const [, type] = EVERY_CLASS.find(([at]) => at === path) ?? [];
  const { fromName } = (type ?? {}) as { readonly fromName?: (name: string) => object };
  expect(Object.values(fromName?.('shared') ?? {})).toContain('shared');
});

/**
 * One rule each: what identifies a construct, what it renders, and how one adds what it has no prop for.
 */
import { SHAPES } from '../../src/constructs/resources/known-props';
import { propsOf } from '../../src/constructs/resources/prop-problems';
import { Surface } from './constructs';

const surface = new Surface();
const constructs = surface.constructs.map((construct) => [construct.title, construct] as const);

/** Constructs that make several objects of equal rank, each of which has a construct or a property of its own. */
const COMPOSED = [
  'AcceleratorMonitoring',
  'FabricTest',
  'GpuMonitoring',
  'GpuPlatform',
  'InferenceService',
  'NodeAgent',
  'PriorityLadder',
  'Team',
].sort();

/** Constructs whose object has a name that the program which reads it prescribes. */
const NAMED_BY_READER = ['gpuOperator.GpuCluster', 'serving.KnativeFeatureSwitches', 'volcano.SchedulerConfiguration'];

/** A statement that becomes the object of another construct, by its `as`. */
const RENDERED_BY_ENGINE = ['DistributedTraining'];

/** Constructs whose props are objects of Kubernetes as they are written. */
const NOT_COMPARED = ['Resource'];

/** The L1, to which everything is given as it is written. */
const BARE = ['Resource'];

/** What Pulumi registers itself: there is no object to render. */
const REGISTERED_BY_PULUMI = ['PulumiRelease'];

test('the surface has constructs, so that the statements below speak of something', () => {
  expect(constructs.length).toBeGreaterThan(80);
});

test('a construct stands for one object, its resource, or is one of the composed ones', () => {
  const composed = surface.constructs
    .filter(({ instance }) => instance.getProperty('resource') === undefined)
    .map(({ title }) => title.replace(/^\w+\./, ''))
    .filter((title) => ![...BARE, ...REGISTERED_BY_PULUMI].includes(title));
  expect(composed.sort()).toEqual(COMPOSED);
});

test.each(constructs)('%s is identified by `name`, and by no other property', (title, { instance }) => {
  const names = instance.getProperties().map((property) => property.name);
  if (instance.getProperty('resource') !== undefined) {
    expect(names).toContain('name');
  }
  const own = title.replace(/^\w+\./, '').toLowerCase();
  expect(names.filter((name) => name.endsWith('Name') && own.endsWith(name.slice(0, -4).toLowerCase()))).toEqual([]);
});

test.each(constructs)('%s takes its name as `name`', (title, { props, instance }) => {
  if (instance.getProperty('resource') !== undefined && ![...BARE, ...NAMED_BY_READER].includes(title)) {
    expect(props?.getProperty('name')?.name).toBe('name');
  }
});

test.each(constructs)(
  '%s has the escape hatch `overrides` if it stands for one object',
  (title, { props, instance }) => {
    const properties = props?.getProperties().map((property) => property.name) ?? [];
    expect(properties.filter((name) => /overrides?$|^raw|^extra|patch/i.test(name) && !ALLOWED.includes(name))).toEqual(
      [],
    );
    if (instance.getProperty('resource') !== undefined && ![...BARE, ...RENDERED_BY_ENGINE].includes(title)) {
      expect(properties).toContain('overrides');
    }
  },
);

/**
 * Composed constructs whose `overrides` have a member for each object. The others: a rung of a PriorityLadder has `overrides`, an
 * InferenceService has them in `as`, and a GpuPlatform exposes the constructs that it consists of.
 */
const OVERRIDDEN_BY_PART = ['AcceleratorMonitoring', 'GpuMonitoring', 'Team'];

test('the `overrides` of a composed construct are named after its own members', () => {
  const parts = surface.constructs
    .filter(({ title }) => OVERRIDDEN_BY_PART.includes(title.replace(/^\w+\./, '')))
    .map(({ title, props, instance }) => {
      const type = surface.checker.getTypeOfSymbol(props!.getProperty('overrides')!);
      const members = surface.checker
        .getNonNullableType(type)
        .getProperties()
        .map((property) => property.name);
      return [title, members.length > 2, members.filter((name) => instance.getProperty(name) === undefined)];
    });
  expect(parts.sort()).toEqual([
    ['Team', true, []],
    ['monitoring.AcceleratorMonitoring', true, []],
    ['monitoring.GpuMonitoring', true, []],
  ]);
});

/** The same hatch, for the object and for the pods in it. */
const ALLOWED = ['overrides', 'podOverrides'];

test.each(constructs)('%s compares its props with their names, from JavaScript too', (title, { props }) => {
  const stated = props?.getProperties().map((property) => property.name) ?? [];
  const [{ shape = -1 } = {}] = (propsOf(title).new ?? []).filter(({ at }) => at === 2);
  const known = SHAPES[shape]?.split(' ').map((prop) => prop.replace(/[^\w$].*$/, '')) ?? [];
  // If this fails, run `npm run generate:props`.
  expect(known.sort()).toEqual(NOT_COMPARED.includes(title) ? [] : [...stated].sort());
});

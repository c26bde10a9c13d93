/**
 * Memory, storage, and times in every prop and parameter of every public class: an amount with its unit or a `Size`, and a `Duration`. What
 * is compared is the table of props that `npm run generate:props` writes from the types.
 */
import { CLASSES } from '../../../src/constructs/resources/known-props';
import { type Accepted, propsOf, shapeOf } from '../../../src/constructs/resources/prop-problems';

interface Stated extends Accepted {
  /** As a user writes it: `Team.new(props).quota.memory`. */
  readonly path: string;
  readonly name: string;
}

/** Every parameter and every prop below it. */
function everyProp(): readonly Stated[] {
  const found: Stated[] = [];
  const visit = (shape: number | undefined, path: string, above: readonly number[]): void => {
    if (shape === undefined || above.includes(shape)) {
      return;
    }
    for (const [name, prop] of shapeOf(shape)) {
      found.push({ ...prop, path: `${path}.${name}`, name });
      [prop.object, prop.list, prop.map].forEach((inner) => visit(inner, `${path}.${name}`, [...above, shape]));
    }
  };
  for (const title of Object.keys(CLASSES)) {
    for (const [member, parameters] of Object.entries(propsOf(title))) {
      for (const parameter of parameters) {
        const path = `${title}.${member}(${parameter.name})`;
        found.push({ ...parameter, path });
        visit(parameter.shape, path, []);
      }
    }
  }
  return found;
}

const PROPS = everyProp();

/** Paths of the props with such a name that `isMistaken` finds, without those that are listed with their reason. */
function mistaken(
  name: RegExp,
  isMistaken: (prop: Stated) => boolean,
  allowed: readonly (readonly [path: RegExp, because: string])[],
): readonly string[] {
  const candidates = PROPS.filter((prop) => name.test(prop.name) && isMistaken(prop));
  for (const [path, because] of allowed) {
    // An exception that nothing needs any more is to be removed.
    expect([because, candidates.some((prop) => path.test(prop.path))]).toEqual([because, true]);
  }
  return candidates.filter(({ path }) => !allowed.some(([pattern]) => pattern.test(path))).map(({ path }) => path);
}

const takesNumber = ({ kinds }: Stated): boolean => kinds.includes('n');
const takesText = ({ kinds, strings }: Stated): boolean => kinds.includes('s') && strings === undefined;

test('props are found in every kind of place', () => {
  const paths = new Set(PROPS.map(({ path }) => path));
  for (const path of [
    'Team.new(props).quota.memory',
    'volcano.Queue.#addQueue(props).deserved.memory',
    'Mount.ephemeral(size)',
    'keda.GeneratedTriggers.solarwinds(props).interval',
    'batch.JobSet.new(props).jobs.resources.memory',
  ]) {
    expect([path, paths.has(path)]).toEqual([path, true]);
  }
  expect(PROPS.length).toBeGreaterThan(6000);
});

const OF_THE_CORE = [/^Plan\.against\.call\(/, 'a value of the placement core, which counts plain units'] as const;

const BYTES =
  /^(?:memory(?:Limit|High|Max)?|memlockLimit|\w*[sS]torage|hugepages|sizeLimit|\w*(?:Volume|Shm|File)Size|maxSize|sharedMemory|size|pinnedMemoryLimit)$|[bB]ytes$/;

test('no amount of memory or storage is a number without a unit', () => {
  expect(
    mistaken(BYTES, takesNumber, [
      [/maxLimitRequestRatio\.(?:memory|ephemeralStorage)$/, 'a ratio of two amounts'],
      [/SchedulerPlugin\.\w+\(options\)\.memory$/, 'a weight of memory against other resources'],
      [/(?:subGroups|partitions)\.size$/, 'a number of pods'],
      OF_THE_CORE,
    ]),
  ).toEqual([]);
});

test('memory and storage are also a Size of cdk8s', () => {
  const withoutSize = (prop: Stated): boolean =>
    takesText(prop) && !prop.classes.some((name) => ['Size', 'SharedMemory'].includes(name));
  expect(mistaken(BYTES, withoutSize, [])).toEqual([]);
});

const TIMES =
  /(?:Seconds|Minutes|Millis)$|(?:^|[a-z])(?:[tT]imeout|[dD]eadline|[iI]nterval|[pP]eriod|[dD]uration|[dD]elay|[wW]indow|[rR]etention|[tT]imespan|[hH]orizon|TimeOffset|WindowOffset|CollectionTime|loadingTime|[rR]untime)$|^(?:ttl|age|granularity|queryStep|scrapeEvery)/;

test('every time is a Duration', () => {
  const otherThanDuration = (prop: Stated): boolean => takesNumber(prop) || takesText(prop);
  expect(mistaken(TIMES, otherThanDuration, [OF_THE_CORE])).toEqual([]);
});

/**
 * KM8: a program of nccl-tests (or rccl-tests) in the launcher of an MPIJob against the devices of the workers, and its own flags.
 *
 * Each process takes `threads * devices per thread` devices, in the order of its rank on the host; sizes are doubles with a suffix G, M, or K,
 * which are powers of 1024.
 */
import { counted } from '../../../facts/words';
import { type Rule, type Violation } from '../../../checks/rules/rule';
import { type JsonObject } from '../../../facts/api/schema';
import { asArray, asInteger, asObject } from '../../../manifests/read';
import { baseName, SEPARATORS, throughShell, type Word, wordsOf } from '../../pods/launch-command';
import { MPI_OPERATOR_API_VERSION } from '../mpi-operator-facts';
import { devicesOf } from './devices';

const SOURCE = 'nccl-tests, src/common.cu';
const PROGRAM =
  /^(?:all_reduce|all_gather|alltoall|broadcast|gather|hypercube|reduce|reduce_scatter|scatter|sendrecv)_perf$/;

/** Sizes above which a test with a fixed step is surely not meant: each is measured with 20 iterations and a check. */
const MOST_SIZES = 1000;

interface Flag {
  readonly value: string;
  readonly path: string;
}

interface NcclTest {
  readonly program: string;
  readonly path: string;
  /** Flags by their letter. */
  readonly flags: ReadonlyMap<string, Flag>;
  readonly slots: number;
  /** Devices of a worker. @default - not known */
  readonly devices: number | undefined;
}

const LETTERS: Readonly<Record<string, string>> = {
  nthreads: 't',
  ngpus: 'g',
  minbytes: 'b',
  maxbytes: 'e',
  stepbytes: 'i',
  stepfactor: 'f',
};

function flagsOf(words: readonly Word[]): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>();
  for (let index = 0; index < words.length; index += 1) {
    const { text, path } = words[index];
    if (SEPARATORS.has(text)) {
      break;
    }
    const [, name, joined] = /^--(\w+)(?:=(.*))?$/.exec(text) ?? /^-([A-Za-z])(.+)?$/.exec(text) ?? [];
    const letter = name === undefined ? undefined : (LETTERS[name] ?? name);
    const value = joined ?? words[index + 1]?.text;
    if (letter !== undefined && value !== undefined) {
      flags.set(letter, { value, path: joined === undefined ? words[index + 1].path : path });
      index += joined === undefined ? 1 : 0;
    }
  }
  return flags;
}

/** The words from the program on; the script of a shell is read only if no word of the command itself is the program. */
function programIn(container: JsonObject, path: string): readonly Word[] | undefined {
  const words = wordsOf(container, path);
  for (const read of [words, throughShell(words)]) {
    const at = read.findIndex(({ text }) => PROGRAM.test(baseName(text)));
    if (at >= 0) {
      return read.slice(at);
    }
  }
  return undefined;
}

function testOf(object: JsonObject): NcclTest | undefined {
  const spec = asObject(object.spec);
  const roles = asObject(spec.mpiReplicaSpecs);
  const containers = (role: string): readonly JsonObject[] =>
    asArray(asObject(asObject(asObject(roles[role]).template).spec).containers).map(asObject);
  for (const [index, container] of containers('Launcher').entries()) {
    const words = programIn(container, `/spec/mpiReplicaSpecs/Launcher/template/spec/containers/${index}`);
    if (words !== undefined) {
      const counts = containers('Worker').flatMap((worker) => devicesOf(worker) ?? []);
      return {
        program: baseName(words[0].text),
        path: words[0].path,
        flags: flagsOf(words.slice(1)),
        slots: spec.slotsPerWorker === undefined ? 1 : (asInteger(spec.slotsPerWorker) ?? Number.NaN),
        devices: counts.length === 1 ? counts[0] : undefined,
      };
    }
  }
  return undefined;
}

/** Whether a program of nccl-tests in the launcher uses all devices of a worker with fewer processes than devices, as with one slot and `-g 8`. */
export function usesDevicesByThread(object: JsonObject): boolean {
  const test = testOf(object);
  return test !== undefined && test.slots * countOf(test, 't') * countOf(test, 'g') === test.devices;
}

type Facts = Pick<Rule, 'summary' | 'why' | 'fix' | 'severity'>;

function ncclRule(id: string, facts: Facts, check: (test: NcclTest) => Iterable<Violation>): Rule {
  return {
    ...facts,
    id: `kubeflow/nccl-tests-${id}`,
    row: 'KM8',
    tier: 'advice',
    source: SOURCE,
    on: 'object',
    kinds: ['kubeflow.org/MPIJob'],
    check: (manifest) => {
      const test = manifest.id.apiVersion === MPI_OPERATOR_API_VERSION ? testOf(manifest.object) : undefined;
      return test === undefined ? [] : check(test);
    },
  };
}

function countOf(test: NcclTest, letter: string): number {
  const text = test.flags.get(letter)?.value ?? '1';
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

const devicesTaken = ncclRule(
  'devices-are-slots',
  {
    severity: 'error',
    summary: 'Slots, threads, and GPUs per thread of nccl-tests must multiply to the devices of a worker.',
    why: 'A process takes the devices after those of the processes before it on its node: beyond the last device, CUDA reports an invalid device ordinal; with fewer, devices stay idle and the result is that of a part of the node.',
    fix: 'Set slotsPerWorker to the devices of a worker, and remove -g and -t.',
  },
  function* (test) {
    const taken = test.slots * countOf(test, 't') * countOf(test, 'g');
    // One slot for several devices, without flags, has a rule of its own.
    if (test.devices === undefined || !Number.isInteger(taken) || taken === test.devices || taken === test.slots) {
      return;
    }
    const flag = test.flags.get('g') ?? test.flags.get('t');
    yield {
      path: flag?.path ?? test.path,
      message: `${test.program} uses ${counted(taken, 'device')} on each worker, but a worker has ${test.devices}`,
      found: flag?.value,
      expected: `${counted(test.devices, 'device')} on each worker`,
      severity: taken > test.devices ? 'error' : 'warning',
    };
  },
);

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/** A size in bytes as the programs read it: what follows the first letter of the unit is ignored; `undefined` if it is not a valid size. */
function sizeOf(flag: Flag | undefined): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z])?/.exec(flag?.value ?? '') ?? [];
  const factor = UNITS[unit.toLowerCase()];
  return number === undefined || factor === undefined ? undefined : Math.floor(Number(number) * factor);
}

/** What the programs use without `-b` and `-e`: 32 MiB, and without `-i`: 1 MiB. */
const DEFAULT_SIZE = 32 * 2 ** 20;
const DEFAULT_STEP = 2 ** 20;

const sizesInOrder = ncclRule(
  'sizes-valid',
  {
    severity: 'error',
    summary: 'The sizes of nccl-tests must be numbers with the suffix G, M, or K, and -b must not exceed -e.',
    why: 'The program ends with "invalid size" before it measures anything.',
    fix: 'Set -b to the smallest and -e to the greatest size in command, such as `-b 1G -e 8G`.',
  },
  function* (test) {
    for (const letter of ['b', 'e']) {
      const flag = test.flags.get(letter);
      if (flag !== undefined && !flag.value.includes('$') && sizeOf(flag) === undefined) {
        yield {
          path: flag.path,
          message: `"${flag.value}" is not a valid size for -${letter} of ${test.program}`,
          found: flag.value,
          expected: 'a number with the suffix G, M, or K',
          fix: `Set -${letter} to a size such as 8G.`,
        };
      }
    }
    const [smallest, greatest] = rangeOf(test);
    if (smallest > greatest) {
      const flag = test.flags.get('b') ?? test.flags.get('e');
      yield {
        path: flag?.path ?? test.path,
        message: `the smallest size of ${test.program}, ${smallest} bytes, exceeds the greatest, ${greatest} bytes`,
        found: flag?.value,
        expected: '-b less than or equal to -e',
      };
    }
  },
);

/** Smallest and greatest size; not a number where one is not known. */
function rangeOf({ flags }: NcclTest): readonly [number, number] {
  const [b, e] = [flags.get('b'), flags.get('e')];
  return [
    b === undefined ? DEFAULT_SIZE : (sizeOf(b) ?? Number.NaN),
    e === undefined ? DEFAULT_SIZE : (sizeOf(e) ?? Number.NaN),
  ];
}

const sizesMultiplied = ncclRule(
  'sizes-multiplied',
  {
    severity: 'warning',
    summary: 'nccl-tests must multiply sizes (-f 2) where its range has more than 1,000 steps.',
    why: 'Without -f, the program adds 1 MiB, or -i bytes, to get the next size: from 8 bytes to 8 GiB, it measures 8,192 sizes, and the average is that of all of them.',
    fix: 'Add `-f 2` to the arguments of the program.',
  },
  function* (test) {
    const factor = test.flags.get('f');
    const step = test.flags.get('i');
    const bytes = step === undefined ? DEFAULT_STEP : Number(step.value);
    const [smallest, greatest] = rangeOf(test);
    const sizes = Math.floor((greatest - smallest) / bytes) + 1;
    if (!(sizes > MOST_SIZES) || (factor !== undefined && !(Number(factor.value) <= 1))) {
      return;
    }
    yield {
      path: test.path,
      message: `${test.program} increases the size by ${bytes} bytes at each step, so it measures ${sizes} sizes`,
      expected: '-f 2',
    };
  },
);

export const ncclTestsRules: readonly Rule[] = [devicesTaken, sizesInOrder, sizesMultiplied];

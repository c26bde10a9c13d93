/**
 * How good a row is for one more pod of a group of classes: larger is better. Asked only where the devices fit.
 *
 * `binpack` counts what stays free: for work with devices the thousandths of devices first, then CPU; work without devices keeps off
 * nodes that have some. A share of a device goes to a node where a device is shared already. `spread` is the same with the sign turned;
 * `spread-devices` has no preference for shared devices.
 * `fragmentation.ts` describes `fgd` and `fragmentation`. Among rows of equal `fragmentation`, the one with the fewest free
 * devices is chosen; `fgd` takes the lowest, as published.
 */
import { milliOn } from '../../nodes/devices';
import { CPU_COLUMN, MEMORY_COLUMN, type NodeTable, PODS_COLUMN, WHOLE } from '../../nodes/node-table';
import { type PodClass } from '../../nodes/pod-class';
import { type NodeScore } from '../../model/policy';
import { type DeviceShape } from './device-states';
import { type Fragmentation, type Placement } from './fragmentation';
import { type RowScore } from './score-index';
import { shapeOf } from './workload';

/** `cpu` is that of the class, or the representative value of its group. */
export type ScoreFunction = (podClass: PodClass, cpu: number) => RowScore;

/** More than any difference in what stays free: a preference that is a matter of principle. */
const PRINCIPLE = 1e7;
/** Free devices decide between rows that are equal otherwise. CPU must not: it would scatter work over many nodes that are half used. */
const TIE = 1e-5;

export function scoreFunction(name: NodeScore, table: NodeTable, fragmentation: () => Fragmentation): ScoreFunction {
  switch (name) {
    case 'binpack':
      return (podClass) => new RoomScore(table, podClass, -1, true);
    case 'spread':
      return (podClass) => new RoomScore(table, podClass, 1, true);
    case 'spread-devices':
      return (podClass) => new RoomScore(table, podClass, 1, podClass.accelerator === undefined);
    case 'first-fit':
      return () => ALIKE;
    case 'fgd': {
      const measure = fragmentation();
      return (podClass, cpu) => byShape(table, podClass, (shape) => new PublishedScore(measure.placement(shape, cpu)));
    }
    case 'fragmentation': {
      const measure = fragmentation();
      return (podClass, cpu) =>
        new FragmentationScore(
          byShape(table, podClass, (shape) => measure.placement(shape, cpu)),
          table.milliFree,
        );
    }
  }
}

// Each of these is asked for thousands of rows: a class for each keeps the calls of one kind apart from those of others.

class RoomScore implements RowScore {
  constructor(
    private readonly table: NodeTable,
    private readonly podClass: PodClass,
    private readonly sign: 1 | -1,
    private readonly hasPrinciples: boolean,
  ) {}

  of(row: number): number {
    const { table, podClass } = this;
    return this.sign * roomNow(table, podClass, row) + (this.hasPrinciples ? principles(table, podClass, row) : 0);
  }
}

class PublishedScore implements RowScore {
  constructor(private readonly placement: Placement) {}

  of(row: number): number {
    return this.placement.published(row);
  }
}

class FragmentationScore implements RowScore {
  constructor(
    private readonly score: RowScore,
    private readonly milliFree: Int32Array,
  ) {}

  of(row: number): number {
    return this.score.of(row) - this.milliFree[row] * TIE;
  }
}

const ALIKE: RowScore = { of: () => 0 };

/** Scores for what the class takes of devices, which may depend on the devices of the row. */
function byShape(table: NodeTable, podClass: PodClass, scores: (shape: DeviceShape) => RowScore): RowScore {
  const kind = podClass.accelerator?.kind;
  if (kind !== 'memory' && kind !== 'shared') {
    return scores(shapeOf(podClass));
  }
  const known = new Map<number, RowScore>();
  return {
    of: (row) => {
      const shape = shapeOf(podClass, table, table.deviceStart[row]);
      let score = known.get(shape.milli);
      if (score === undefined) {
        score = scores(shape);
        known.set(shape.milli, score);
      }
      return score.of(row);
    },
  };
}

function roomNow(table: NodeTable, podClass: PodClass, row: number): number {
  const cpu = table.free[CPU_COLUMN][row] / (table.allocatable[CPU_COLUMN][row] || 1);
  const memory = table.free[MEMORY_COLUMN][row] / (table.allocatable[MEMORY_COLUMN][row] || 1);
  if (podClass.accelerator !== undefined) {
    return table.milliFree[row] + cpu / 2 + memory / 4;
  }
  // Resources that are counted, such as MIG instances, are scarcer than CPU.
  let counted = 0;
  for (const column of podClass.columns) {
    counted += column > PODS_COLUMN ? table.free[column][row] : 0;
  }
  return 1000 * (counted + cpu) + memory;
}

function principles(table: NodeTable, { accelerator }: PodClass, row: number): number {
  if (accelerator === undefined) {
    return table.deviceStart[row + 1] > table.deviceStart[row] ? -PRINCIPLE : 0;
  }
  if (accelerator.kind === 'whole' || accelerator.kind === 'mig') {
    return 0;
  }
  for (let slot = table.deviceStart[row]; slot < table.deviceStart[row + 1]; slot++) {
    const free = table.deviceFree[slot];
    if (free < WHOLE && free >= milliOn(table, slot, accelerator)) {
      return PRINCIPLE;
    }
  }
  return 0;
}

/**
 * Overrides of the objects that a platform creates and that none of its other props has overrides for.
 */
import { type PriorityLadderProps, type Rung, type TeamOverrides } from '../tenancy';
import { nearestName } from '../../facts/spelling';

/** Overrides of the objects of a GpuPlatform, by the property that has them. */
export interface GpuPlatformOverrides<TeamName extends string, RungName extends string> {
  /** Fields of the objects of each team. @default - none */
  readonly teams?: Readonly<Partial<Record<TeamName, TeamOverrides>>>;
  /** Fields of the PriorityClass of each rung that has no `overrides` in `priorities`. @default - none */
  readonly priorities?: Readonly<Partial<Record<RungName, Rung<RungName>['overrides']>>>;
}

/** @throws if one of the overrides is for a team or a rung that the platform does not have */
export function requireParts(
  path: string,
  overrides: GpuPlatformOverrides<string, string>,
  known: Readonly<Record<keyof GpuPlatformOverrides<string, string>, readonly string[]>>,
): void {
  for (const part of ['teams', 'priorities'] as const) {
    for (const name of Object.keys(overrides[part] ?? {})) {
      if (!known[part].includes(name)) {
        const near = nearestName(name, known[part]);
        throw new Error(
          `${path}: overrides.${part}.${name} must not be set, because the platform has no ${part === 'teams' ? 'team' : 'rung'} of that name` +
            `${near === undefined ? '' : ` (did you mean "${near}"?)`}; it has ${known[part].join(', ')}.`,
        );
      }
    }
  }
}

/** The rungs, each with its overrides. @throws if the overrides of a rung are set twice */
export function withOverrides<RungName extends string>(
  path: string,
  ladder: PriorityLadderProps<RungName>,
  overrides: GpuPlatformOverrides<string, RungName>['priorities'],
): PriorityLadderProps<RungName> {
  const rungs = ladder.rungs.map((stated): Rung<RungName> => {
    const rung = typeof stated === 'string' ? { name: stated } : stated;
    const given = overrides?.[rung.name];
    if (given !== undefined && rung.overrides !== undefined) {
      throw new Error(
        `${path}: overrides.priorities.${rung.name} must not be set, because the prop priorities overrides that rung already.`,
      );
    }
    return given === undefined ? rung : { ...rung, overrides: given };
  });
  return { ...ladder, rungs };
}

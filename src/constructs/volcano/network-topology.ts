/**
 * How close pods must be placed, in tiers of hyper nodes.
 */

/** Within which tier of hyper nodes pods must or should be. */
export interface NetworkTopology {
  /** `hard` waits until there is room within the tier; `soft` takes the closest that there is. @default 'hard' */
  readonly mode?: 'hard' | 'soft';
  /** The highest tier that the pods may spread over: its number, or its name. @default - no limit: as close as possible */
  readonly highestTier?: number | string;
}

export function renderTopology({ mode, highestTier }: NetworkTopology): {
  readonly mode: 'hard' | 'soft';
  readonly highestTierAllowed?: number;
  readonly highestTierName?: string;
} {
  return {
    mode: mode ?? 'hard',
    ...(typeof highestTier === 'number' ? { highestTierAllowed: highestTier } : {}),
    ...(typeof highestTier === 'string' ? { highestTierName: highestTier } : {}),
  };
}

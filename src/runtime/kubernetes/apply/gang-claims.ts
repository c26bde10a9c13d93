/**
 * Devices for the pods of a gang that start by one decision: all of their claims are allocated, or none.
 *
 * 1. Claims for extended resources are made. Every claim gets its devices and its reservations, and the status of a pod names the claim that
 *    was made for it.
 * 2. Once the watch has shown these writes, it has shown every write before them: if another claim has one of the devices by then, the gang
 *    gives its devices back.
 * 3. Devices that have to be prepared first are waited for.
 *
 * What fails at any of these is taken back for the whole gang, and decided again.
 */
import { type JsonObject } from '../../../facts/api/schema';
import { asObject, asString } from '../../../manifests/read';
import { pause } from '../../api/backoff';
import { SYSTEM_CLOCK } from '../../api/clock';
import { allocationIn } from '../world/devices';
import { doubleAllocation } from '../world/double-allocation';
import { type AttemptOptions } from './attempts';
import { bindingReadiness } from './binding-conditions';
import { type ClaimRelease, type ClaimWrite, releaseClaim, writeClaim } from './claim-writes';
import {
  deleteClaim,
  isStated,
  makeClaim,
  type OwnClaim,
  type OwnOutcome,
  stateClaim,
  unstateClaim,
} from './extended-writes';
import { type ClaimedPod, plannedWrites, type PlanSources } from './planned-writes';
import { type Slots } from './slots';

/** How long the watch may take to show what was written, milliseconds. */
const WATCH_PATIENCE = 10_000;
/** How long devices may take until they are ready for binding, as kube-scheduler waits for them, milliseconds. */
const READY_PATIENCE = 600_000;
/** How long to wait where another try soon would get the same answer, milliseconds. */
const LASTING = 30_000;
const LOOK_EVERY = 50;
const LOOK_AT_CONDITIONS_EVERY = 500;

export interface GangClaimsOptions extends PlanSources {
  readonly slots: Slots;
}

export type ClaimsOutcome =
  /** `reported`: pods whose status was written, by their uids. */
  | { readonly kind: 'done'; readonly reported: ReadonlyMap<string, JsonObject> }
  | { readonly kind: 'abandoned' }
  /** A sentence. `avoids`: the devices on these nodes could not be prepared. `pause`: milliseconds until another try is worth it. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly avoids?: readonly string[];
      readonly pause?: number;
    };

type Failure = Exclude<ClaimsOutcome, { kind: 'done' }>;

export class GangClaims {
  /** Uids of pods whose status was written, and that the watch may not show so yet. */
  private readonly stated = new Set<string>();

  constructor(private readonly options: GangClaimsOptions) {}

  /** Counts the devices as taken from now on, and says what is to be written for pods that are bound directly. */
  assume(placed: readonly ClaimedPod[]): readonly ClaimWrite[] {
    const { world } = this.options;
    const writes = plannedWrites(placed, this.options);
    for (const { key, uid, devices, pods, nodes, allocation } of writes) {
      if (allocation !== undefined) {
        const [node = ''] = nodes;
        world.devices.assumed.assume(key, { uid, devices, node, pods: new Set(pods.map((one) => one.uid)) });
      }
    }
    const direct = new Set(placed.filter(({ entry }) => entry.way === 'direct').map(({ pod }) => pod.uid));
    return writes
      .map((write) => ({ ...write, pods: write.pods.filter(({ uid }) => direct.has(uid)) }))
      .filter(({ pods }) => pods.length > 0);
  }

  /** Allocates all of them, or takes back what it wrote. */
  async allocate(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<ClaimsOutcome> {
    const { made, failure } = await this.made(writes, attempts);
    const outcome = failure ?? (await this.tried(made, attempts));
    if (outcome.kind === 'failed') {
      await this.release(made, attempts);
    }
    made.forEach(({ own }) => own !== undefined && this.stated.delete(own.pod.uid));
    return outcome;
  }

  /** Gives back what these pods do not use. */
  async release(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<void> {
    const { slots, world } = this.options;
    await Promise.all(
      writes.map(async ({ key, path, uid, devices, pods, own }) => {
        const release: ClaimRelease = { path, uid, devices, pods: new Set(pods.map((pod) => pod.uid)) };
        await slots.run(async () => {
          if (uid !== '') {
            await releaseClaim(release, attempts);
          }
          if (own !== undefined) {
            await this.unmake(own, attempts);
          }
        });
        world.devices.assumed.forget(key);
      }),
    );
  }

  /** Makes the claims that do not exist yet. */
  private async made(
    writes: readonly ClaimWrite[],
    attempts: AttemptOptions,
  ): Promise<{ readonly made: readonly ClaimWrite[]; readonly failure?: Failure }> {
    const { slots } = this.options;
    let failure: Failure | undefined;
    const made = await Promise.all(
      writes.map(async (write): Promise<ClaimWrite> => {
        const { own } = write;
        if (own === undefined || write.uid !== '') {
          return write;
        }
        // One that was refused is enough.
        const outcome = await slots.run(async () => (failure === undefined ? makeClaim(own, attempts) : undefined));
        if (outcome?.kind === 'done') {
          return { ...write, uid: asString(asObject(outcome.object.metadata).uid) ?? '', known: outcome.object };
        }
        failure ??= outcome === undefined ? undefined : failureOf(write, outcome, 'made');
        return write;
      }),
    );
    return { made, ...(failure !== undefined && { failure }) };
  }

  /** The status of each pod names the claim that was made for it. */
  private async reported(
    writes: readonly ClaimWrite[],
    attempts: AttemptOptions,
  ): Promise<Failure | ReadonlyMap<string, JsonObject>> {
    const { slots } = this.options;
    const reported = new Map<string, JsonObject>();
    let failure: Failure | undefined;
    await Promise.all(
      writes.map(async (write) => {
        const { own } = write;
        const outcome =
          own === undefined
            ? undefined
            : await slots.run(async () => (failure === undefined ? this.state(own, attempts) : undefined));
        if (own !== undefined && outcome?.kind === 'done') {
          reported.set(own.pod.uid, outcome.object);
        } else if (outcome !== undefined && outcome.kind !== 'done') {
          failure ??= failureOf(write, outcome, 'written into the status of its pod');
        }
      }),
    );
    return failure ?? reported;
  }

  private state(own: OwnClaim, attempts: AttemptOptions): Promise<OwnOutcome> {
    this.stated.add(own.pod.uid);
    return stateClaim(own, attempts);
  }

  private async unmake(own: OwnClaim, attempts: AttemptOptions): Promise<void> {
    const { world } = this.options;
    await deleteClaim(own, attempts);
    const { namespace, name, uid } = own.pod;
    const pod = world.pods.get(`${namespace}/${name}`);
    if (this.stated.has(uid) || (pod?.uid === uid && isStated(pod.raw, own.name))) {
      await unstateClaim(own.pod, attempts);
    }
  }

  private async tried(writes: readonly ClaimWrite[], attempts: AttemptOptions): Promise<ClaimsOutcome> {
    const { slots } = this.options;
    const outcomes = await Promise.all(
      writes.map(async (write) => ({ write, outcome: await slots.run(() => writeClaim(write, attempts)) })),
    );
    if (outcomes.some(({ outcome: { kind } }) => kind === 'abandoned')) {
      return { kind: 'abandoned' };
    }
    for (const { write, outcome } of outcomes) {
      if (outcome.kind === 'refused') {
        return { kind: 'failed', message: `${titleOf(write)} was not allocated: ${outcome.message}.` };
      }
    }
    const reported = await this.reported(writes, attempts);
    if ('kind' in reported) {
      return reported;
    }
    return (await this.seen(writes, attempts)) ?? (await this.ready(writes, attempts)) ?? { kind: 'done', reported };
  }

  /** Waits until the watch shows the devices, and looks for others that have them. */
  private async seen(
    writes: readonly ClaimWrite[],
    { signal, leads, clock = SYSTEM_CLOCK }: AttemptOptions,
  ): Promise<Failure | undefined> {
    const { world } = this.options;
    const isShown = (write: ClaimWrite): boolean => allocationIn(world.devices.claimObject(write.key)) !== undefined;
    const until = clock.monotonic() + WATCH_PATIENCE;
    while (!writes.every(isShown)) {
      if (signal.aborted || !leads()) {
        return { kind: 'abandoned' };
      }
      if (clock.monotonic() >= until) {
        const missing = writes.find((write) => !isShown(write));
        return {
          kind: 'failed',
          message: `The watch has not reported the devices of ${missing === undefined ? 'the claims' : titleOf(missing)}.`,
        };
      }
      await pause(LOOK_EVERY, signal);
    }
    const ours = new Set(writes.map(({ key }) => key));
    const clash = doubleAllocation(world.devices.shown(ours), ours);
    return clash === undefined
      ? undefined
      : {
          kind: 'failed',
          message: `Device "${clash.device}" of pool "${clash.pool}" was allocated to ${clash.other} at the same time.`,
        };
  }

  private async ready(
    writes: readonly ClaimWrite[],
    { signal, leads, clock = SYSTEM_CLOCK }: AttemptOptions,
  ): Promise<Failure | undefined> {
    const { world } = this.options;
    const until = clock.monotonic() + READY_PATIENCE;
    for (;;) {
      if (signal.aborted || !leads()) {
        return { kind: 'abandoned' };
      }
      const states = writes.map((write) => ({ write, state: bindingReadiness(world.devices.claimObject(write.key)) }));
      const failed = states.find(({ state }) => state.kind === 'failed');
      if (failed?.state.kind === 'failed') {
        return {
          kind: 'failed',
          message: `${titleOf(failed.write)}: ${failed.state.message}`,
          avoids: failed.write.nodes,
        };
      }
      const late = states.find(({ state }) => state.kind === 'waits');
      if (late === undefined) {
        return undefined;
      }
      if (clock.monotonic() >= until) {
        const message = `${titleOf(late.write)}: its devices were not ready for binding within ${READY_PATIENCE / 1000} s.`;
        return { kind: 'failed', message, avoids: late.write.nodes };
      }
      await pause(LOOK_AT_CONDITIONS_EVERY, signal);
    }
  }
}

function failureOf(write: ClaimWrite, outcome: Exclude<OwnOutcome, { kind: 'done' }>, what: string): Failure {
  return outcome.kind === 'abandoned'
    ? outcome
    : {
        kind: 'failed',
        message: `${titleOf(write)} was not ${what}: ${outcome.message}.`,
        ...(outcome.lasting && { pause: LASTING }),
      };
}

function titleOf({ key }: ClaimWrite): string {
  return `ResourceClaim "${key.slice('claim:'.length)}"`;
}

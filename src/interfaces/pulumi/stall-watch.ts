/**
 * Ends waits that cannot end by themselves.
 *
 * A stack waits for the values that its objects carry. `pulumi.deferredOutput` hides where a value comes from, so that two stacks, or a
 * stack and itself, may wait for each other. Nothing can see that in an Output. What can be seen is that no stack goes on while no call to
 * the engine is under way; then a program has either nothing left to do, or it waits for something outside of Pulumi.
 *
 * - As long as that lasts a short time only, or the process would end: a stack goes on with the objects that have their values, if any of
 *   these was asked for. Usually the values of the others follow from them.
 * - If it lasts long, or the process would end again: the stack fails, with a sentence that names the objects.
 *
 * The SDK does not say whether calls are under way. `waitForRPCs` does not help: it also waits for the call that a stack itself holds
 * (`engine-hold.ts`). So this counts the calls of the monitor, and reads one internal field for those that were begun before. In a version of
 * the SDK without the field these are not counted, and the stack goes on, or fails, while they are under way.
 */
import * as pulumi from '@pulumi/pulumi';
import * as state from '@pulumi/pulumi/runtime/state';

/** Milliseconds without a call to the engine. */
export const QUIET = { short: 5_000, long: 300_000 } as const;
const INTERVAL = 1_000;

/** A wait of one stack. */
export interface Wait {
  /** After a short time: returns whether the stack goes on. */
  readonly goOn: () => boolean;
  /** After a long time. */
  readonly fail: () => void;
}

/** Calls of the SDK that take as long as the engine or a provider does. */
const CALLS = ['registerResource', 'registerResourceOutputs', 'readResource', 'invoke', 'call'] as const;

type Call = (...args: unknown[]) => unknown;
type Monitor = Partial<Record<(typeof CALLS)[number], Call>>;

/** The module of the SDK with what it keeps of a deployment; its types leave that out. */
interface State {
  getStore?(): {
    readonly settings?: {
      /** Resolves when the calls that were begun until now are answered. */
      readonly rpcDone?: Promise<unknown>;
    };
  };
}

const watches = new WeakMap<object, StallWatch>();

/** The waits of all stacks of a deployment. */
export class StallWatch {
  private readonly waits = new Set<Wait>();
  private calls = 0;
  private quietSince = Date.now();
  private timer: NodeJS.Timeout | undefined;
  private readonly onBeforeExit = (): void => this.stalled(Infinity);

  /** The watch of the deployment that the program runs in. */
  static ofDeployment(): StallWatch {
    const monitor = (pulumi.runtime.getMonitor() ?? {}) as Monitor;
    let watch = watches.get(monitor);
    if (watch === undefined) {
      watch = new StallWatch(monitor);
      watches.set(monitor, watch);
    }
    return watch;
  }

  private constructor(monitor: Monitor) {
    for (const name of CALLS) {
      const call = monitor[name]?.bind(monitor);
      if (call !== undefined) {
        monitor[name] = (...args) => this.counted(call, args);
      }
    }
    const end = this.begin();
    Promise.resolve((state as State).getStore?.().settings?.rpcDone).then(end, end);
  }

  /** A call began. @returns what is called when it ends */
  private begin(): () => void {
    this.calls += 1;
    return () => {
      this.calls -= 1;
      this.quietSince = Date.now();
    };
  }

  /** Waits for a promise; `wait` ends it where it cannot end by itself. */
  async during<T>(promise: Promise<T>, wait: Wait): Promise<T> {
    this.add(wait);
    try {
      return await promise;
    } finally {
      this.remove(wait);
    }
  }

  private add(wait: Wait): void {
    this.waits.add(wait);
    this.quietSince = Date.now();
    if (this.timer === undefined) {
      // Not a reason for the process to go on: where it has no other one, it would end.
      this.timer = setInterval(() => this.tick(), INTERVAL).unref();
      process.on('beforeExit', this.onBeforeExit);
    }
  }

  private remove(wait: Wait): void {
    this.waits.delete(wait);
    this.quietSince = Date.now();
    if (this.waits.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      process.off('beforeExit', this.onBeforeExit);
    }
  }

  private tick(): void {
    if (this.calls === 0) {
      this.stalled(Date.now() - this.quietSince);
    }
  }

  private stalled(quiet: number): void {
    if (quiet < QUIET.short) {
      return;
    }
    const goOn = [...this.waits].filter((wait) => wait.goOn());
    if (goOn.length === 0 && quiet >= QUIET.long) {
      this.waits.forEach((wait) => wait.fail());
    }
  }

  /** A call of the SDK, whose last argument is called back. */
  private counted(call: Call, args: readonly unknown[]): unknown {
    const callback = args.at(-1);
    if (typeof callback !== 'function') {
      return call(...args);
    }
    const end = this.begin();
    return call(...args.slice(0, -1), (...answer: readonly unknown[]): unknown => {
      end();
      return (callback as Call)(...answer);
    });
  }
}

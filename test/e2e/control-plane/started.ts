/**
 * What this program has started in the background, so that a program that is asked to end can stop it: it would outlive the program otherwise.
 */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** How to stop each, by a process or folder that is its own; in the order of the starts. */
const started = new Map<object | string, () => Promise<void>>();

export function remember(key: object | string, stop: () => Promise<void>): void {
  started.set(key, stop);
}

/** It has been stopped. */
export function forget(key: object | string): void {
  started.delete(key);
}

/** From now on, SIGINT and SIGTERM stop everything, the last that was started first, and then end the program. Suites of tests do so by themselves. */
export function stopStartedOnSignal(): void {
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      // What the program still does fails from now on.
      process.on('unhandledRejection', () => undefined);
      process.on('uncaughtException', () => undefined);
      void stopAll().finally(() => process.exit(128 + constants.signals[signal]));
    });
  }
}

async function stopAll(): Promise<void> {
  for (const stop of [...started.values()].reverse()) {
    await stop().catch((error: unknown) => console.error(error));
  }
}

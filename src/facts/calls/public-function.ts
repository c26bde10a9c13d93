/**
 * Functions that a stack calls. The layer that collects mistakes decides how such a call is made; without it, as in the command line, the
 * function is called directly.
 */
import { addPublicName } from './public-names';

/** A call of a public function. */
export interface FunctionCall {
  /** As a program writes it: `charts.chartInstall`. */
  readonly name: string;
  readonly args: readonly unknown[];
  readonly run: () => unknown;
}

let makeCall: ((call: FunctionCall) => unknown) | undefined;

/** Sets how public functions are called from now on. */
export function setFunctionCalls(make: (call: FunctionCall) => unknown): void {
  makeCall = make;
}

/**
 * Makes a function public: from a program, its mistakes are reported as those of constructs are.
 *
 * Below `constructs/`, the call is marked as pure, so that bundles can omit the function.
 *
 * @param name as a program writes it: `charts.chartInstall`
 */
export function publicFunction<F extends (...args: never[]) => unknown>(name: string, run: F): F {
  const called = (...args: never[]): unknown =>
    makeCall === undefined ? run(...args) : makeCall({ name, args, run: () => run(...args) });
  addPublicName(name, called);
  return Object.defineProperty(called, 'name', { value: name }) as unknown as F;
}

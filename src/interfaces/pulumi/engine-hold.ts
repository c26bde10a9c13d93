/**
 * Keeps a program from ending before a stack has registered its objects, and from ending as if all were well where it cannot.
 *
 * The engine deletes what a finished program did not register. A program of `pulumi up` does not finish after an unhandled rejection. One
 * that runs inside another process (Automation API) would: it ends when no call is under way, whatever was rejected before. There a call
 * that ends with the error makes the program fail, and the engine deletes nothing.
 */
import * as pulumi from '@pulumi/pulumi';
import { failed } from './later';

/** Ends a call; the value that it takes is not in the types of the SDK. */
type End = (outcome?: Promise<never>) => void;

/** A call that is under way as long as the stack is. */
export class EngineHold {
  private readonly end: End = pulumi.runtime.rpcKeepAlive();

  /** The stack is registered. */
  release(): void {
    this.end();
  }

  /** The stack cannot be registered. */
  fail(error: unknown): void {
    // Mocks have no engine, and nothing that would wait for the call.
    if (isMocked()) {
      this.end();
      return;
    }
    this.end(failed(error));
  }
}

function isMocked(): boolean {
  return pulumi.runtime.getMonitor()?.constructor.name === 'MockMonitor';
}

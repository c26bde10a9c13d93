/**
 * Jest environment of the end-to-end suites: keeps the logs of a test that fails, before its hooks clean up.
 */
import { type Circus } from '@jest/types';
import { TestEnvironment } from 'jest-environment-node';
import { KEEP_EVIDENCE } from './evidence';

export default class EndToEndEnvironment extends TestEnvironment {
  handleTestEvent(event: Circus.AsyncEvent | Circus.SyncEvent): void {
    if (event.name === 'test_start') {
      this.keepEvidence('start', event.test.name);
    } else if (event.name === 'test_fn_failure') {
      this.keepEvidence('failure', `${event.test.parent.name} ${event.test.name}`);
    } else if (event.name === 'hook_failure') {
      this.keepEvidence(
        'failure',
        `${event.hook.type} of ${event.test?.name ?? event.describeBlock?.name ?? 'a suite'}`,
      );
    }
  }

  /** Absent in suites that start nothing. */
  private keepEvidence(event: 'start' | 'failure', test: string): void {
    const keep = (this.global as unknown as Record<string, unknown>)[KEEP_EVIDENCE];
    if (typeof keep === 'function') {
      (keep as (event: string, test: string) => void)(event, test);
    }
  }
}

/**
 * Lifecycle policies: what Volcano does when something happens to a job or to a task.
 */
import { secondsOf } from '../resources/durations';
import type { Duration } from 'cdk8s';
import { type JobSpecPolicy } from '../../facts/api/types/batch.volcano.sh/v1alpha1';
import { type PolicyAction, type PolicyEvent } from './job-policies';
import { publicClass } from '../resources/public-class';

/** Options of a policy. */
export interface PolicyOptions {
  /** How long the event must last before the action is taken. @default - at once */
  readonly timeout?: Duration;
}

/**
 * An event or an exit code, and the action. Each may appear once per level (the job, or one task).
 *
 * Source: volcano, pkg/webhooks/admission/jobs/validate/util.go. Rules: `volcano/policy-*`.
 *
 * @example volcano.Policy.onEvent('PodEvicted', 'RestartJob')
 */
@publicClass('volcano.Policy')
export class Policy {
  /** Does something on an event. */
  static onEvent(event: Exclude<PolicyEvent, 'PodPending'>, action: PolicyAction, options: PolicyOptions = {}): Policy {
    return new Policy({ event, action, ...rendered(options) });
  }

  /** One action for several events. */
  static onEvents(
    events: readonly Exclude<PolicyEvent, 'PodPending'>[],
    action: PolicyAction,
    options: PolicyOptions = {},
  ): Policy {
    return new Policy({ events, action, ...rendered(options) });
  }

  /** When a pod stays pending for the given duration. Volcano ignores such a policy without a timeout. */
  static onPodPending(timeout: Duration, action: PolicyAction): Policy {
    return new Policy({ event: 'PodPending', action, ...rendered({ timeout }) });
  }

  /**
   * When a container ends with this exit code, from 1 to 255.
   *
   * @throws if the code is 0: the end of a task is the event TaskCompleted
   */
  static onExitCode(exitCode: number, action: PolicyAction, options: PolicyOptions = {}): Policy {
    if (exitCode === 0) {
      throw new Error(
        "exitCode must not be 0, which means success. For the end of a task, use Policy.onEvent('TaskCompleted', …).",
      );
    }
    return new Policy({ exitCode, action, ...rendered(options) });
  }

  private constructor(private readonly spec: JobSpecPolicy) {}

  /** Returns the policy as the spec of the job has it. */
  toPolicy(): JobSpecPolicy {
    return this.spec;
  }
}

function rendered({ timeout }: PolicyOptions): Pick<JobSpecPolicy, 'timeout'> {
  return timeout === undefined ? {} : { timeout: `${secondsOf('timeout', timeout)}s` };
}

/**
 * Events and actions of Volcano's lifecycle policies (pkg/webhooks/admission/jobs/validate/util.go).
 */

/** What a policy may react to. The CRD's enum is wider; the webhook takes these. */
export const POLICY_EVENTS = [
  '*',
  'PodFailed',
  'PodEvicted',
  'PodPending',
  'Unknown',
  'TaskCompleted',
  'TaskFailed',
  'JobUpdated',
] as const;
/** An event of a job or a task that a policy reacts to. */
export type PolicyEvent = (typeof POLICY_EVENTS)[number];

/** What a policy may do. The CRD has no enum. */
export const POLICY_ACTIONS = [
  'AbortJob',
  'RestartJob',
  'RestartTask',
  'RestartPod',
  'RestartPartition',
  'TerminateJob',
  'CompleteJob',
  'ResumeJob',
] as const;
/** What Volcano does on an event. */
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export function isPolicyEvent(value: string): value is PolicyEvent {
  return (POLICY_EVENTS as readonly string[]).includes(value);
}

export function isPolicyAction(value: string): value is PolicyAction {
  return (POLICY_ACTIONS as readonly string[]).includes(value);
}

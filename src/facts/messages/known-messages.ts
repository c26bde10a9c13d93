/**
 * Messages of schedulers, controllers, and the kubelet that say why work does not run: what each means, how to verify it, and what helps.
 *
 * `format` is the text as the program prints it, with Go's verbs; a test compares the pattern with it.
 */
import { CONTROL_PLANE_MESSAGES } from './control-plane';
import { type KnownMessage } from './known-message';
import { KUBE_SCHEDULER_MESSAGES } from './kube-scheduler';
import { KUBELET_MESSAGES } from './kubelet';
import { QUEUE_MESSAGES } from './queues';

export type { KnownMessage } from './known-message';

export const KNOWN_MESSAGES: readonly KnownMessage[] = [
  ...KUBE_SCHEDULER_MESSAGES,
  ...KUBELET_MESSAGES,
  ...CONTROL_PLANE_MESSAGES,
  ...QUEUE_MESSAGES,
];

/** The messages that a text contains, in the order of the table. */
export function messagesIn(text: string): readonly KnownMessage[] {
  return KNOWN_MESSAGES.filter(({ pattern }) => pattern.test(text));
}

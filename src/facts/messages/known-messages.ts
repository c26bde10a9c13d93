/**
 * Messages of schedulers, controllers, and the kubelet that say why work does not run: what each means, how to verify it, and what helps.
 */
import { AUTOSCALER_MESSAGES } from './autoscalers';
import { CONTROL_PLANE_MESSAGES } from './control-plane';
import { DEVICE_MESSAGES } from './devices';
import { KAI_MESSAGES } from './kai';
import { KEDA_MESSAGES } from './keda';
import { type KnownMessage } from './known-message';
import { KUBE_SCHEDULER_MESSAGES } from './kube-scheduler';
import { KUBELET_MESSAGES } from './kubelet';
import { KUEUE_MESSAGES } from './kueue';
import { comparableText, MessagePattern, type MessagePlace } from './message-pattern';
import { NETWORK_MESSAGES } from './network';
import { SCHEDULER_PLUGIN_MESSAGES } from './scheduler-plugins';
import { TRAINING_MESSAGES } from './training';
import { VOLCANO_MESSAGES } from './volcano';
import { WORKLOAD_MESSAGES } from './workloads';

export type { KnownMessage } from './known-message';

export const KNOWN_MESSAGES: readonly KnownMessage[] = [
  ...KUBE_SCHEDULER_MESSAGES,
  ...SCHEDULER_PLUGIN_MESSAGES,
  ...VOLCANO_MESSAGES,
  ...KUEUE_MESSAGES,
  ...KAI_MESSAGES,
  ...AUTOSCALER_MESSAGES,
  ...KEDA_MESSAGES,
  ...KUBELET_MESSAGES,
  ...DEVICE_MESSAGES,
  ...NETWORK_MESSAGES,
  ...CONTROL_PLANE_MESSAGES,
  ...WORKLOAD_MESSAGES,
  ...TRAINING_MESSAGES,
];

/** A message that a text contains. */
export interface FoundMessage {
  readonly message: KnownMessage;
  /** As the text has it, from its first to its last literal part. */
  readonly found: string;
  readonly times: number;
}

/** The messages that a text contains, in the order in which they first appear. */
export function messagesIn(text: string): readonly FoundMessage[] {
  const comparable = comparableText(text);
  const found = new Map<KnownMessage, { readonly first: MessagePlace; times: number }>();
  for (const [message, place] of longest(placesOf(comparable))) {
    const known = found.get(message);
    if (known === undefined) {
      found.set(message, { first: place, times: 1 });
    } else {
      known.times++;
    }
  }
  return [...found].map(
    ([
      message,
      {
        first: { start, end },
        times,
      },
    ]) => ({
      message,
      found: comparable.slice(start, end).replace(/(?<![ .,;:])[ .,;:]+$/, ''),
      times,
    }),
  );
}

type PlacedMessage = readonly [KnownMessage, MessagePlace];

/** In the order of the text; of those that begin at one place the longest first. */
function placesOf(comparable: string): readonly PlacedMessage[] {
  return KNOWN_MESSAGES.flatMap((message) =>
    patternsOf(message).flatMap((pattern) =>
      [...pattern.placesIn(comparable)].map((place): PlacedMessage => [message, place]),
    ),
  ).sort(([, a], [, b]) => a.start - b.start || b.end - a.end);
}

/** Where one message begins as another does, the longer one is meant. */
function longest(places: readonly PlacedMessage[]): readonly PlacedMessage[] {
  return places.filter(([, { start }], index) => index === 0 || places[index - 1][1].start !== start);
}

const PATTERNS = new Map<KnownMessage, readonly MessagePattern[]>();

/** The patterns of a message. */
export function patternsOf(message: KnownMessage): readonly MessagePattern[] {
  const known = PATTERNS.get(message);
  if (known !== undefined) {
    return known;
  }
  const texts = message.matches ?? [message.format, ...(message.also ?? [])];
  const made = texts.map((text) => new MessagePattern(text));
  PATTERNS.set(message, made);
  return made;
}

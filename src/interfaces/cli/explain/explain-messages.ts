/**
 * What the messages in a text mean, and what to do about them.
 */
import pico from 'picocolors';
import { counted } from '../../../facts/words';
import { type FoundMessage, messagesIn } from '../../../facts/messages/known-messages';

/** How an explanation is printed. */
export interface ExplanationStyle {
  readonly format: 'text' | 'json';
  readonly color: boolean;
}

/** What to print of the messages in a text; `undefined` if it contains none that is known. */
export function explainedMessages(text: string, style: ExplanationStyle): string | undefined {
  const found = messagesIn(text);
  if (found.length === 0) {
    return undefined;
  }
  return style.format === 'json'
    ? `${JSON.stringify({ messages: found.map(messageJson) }, undefined, 2)}\n`
    : found.map((one) => messageText(one, style)).join('\n');
}

/** A message that was found, as JSON shows it. */
export function messageJson({ message, found, times }: FoundMessage): object {
  const { id, format, cause, verify, remedy, source } = message;
  return { id, found, times, format, cause, verify, remedy, source };
}

function messageText({ message, found, times }: FoundMessage, { color }: ExplanationStyle): string {
  const { bold } = pico.createColors(color);
  const { id, cause, verify, remedy, source } = message;
  const rows = [
    ['found', times === 1 ? found : `${found} (${counted(times, 'time')})`],
    ['cause', cause],
    ['verify', verify],
    ['remedy', remedy],
    ['source', source],
  ];
  return `${bold(id)}\n${rows.map(([label = '', text = '']) => `  ${label.padEnd('remedy'.length)}  ${text}\n`).join('')}`;
}

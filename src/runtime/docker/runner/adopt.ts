/**
 * A task as the labels of its container tell it: for a store that is older than the containers, or was lost.
 */
import { type Task } from '../task/task';
import { LABELS } from './container-spec';

/**
 * @param container absent if it was never started: the task is then queued
 * @param known the task as the store has it, perhaps older
 * @returns `undefined` if the labels are not those of a task
 */
export function taskOfLabels(
  labels: Readonly<Record<string, string>>,
  container: string | undefined,
  known: Task | undefined,
): Task | undefined {
  let document: Task;
  try {
    document = JSON.parse(labels[LABELS.document] ?? '') as Task;
  } catch {
    return undefined;
  }
  const member = Number(labels[LABELS.member]);
  if (
    document.id !== labels[LABELS.task] ||
    !Array.isArray(document.members) ||
    document.members[member] === undefined
  ) {
    return undefined;
  }
  if (container === undefined) {
    return known ?? { ...document, state: 'queued', attempt: document.attempt - 1, members: [] };
  }
  // Other containers of the gang are entered one after the other.
  const base = known !== undefined && known.attempt === document.attempt ? known : document;
  return {
    ...base,
    state: 'starting',
    members: base.members.map((one) =>
      one.index === member ? { ...document.members[member], state: 'created', container } : one,
    ),
  };
}

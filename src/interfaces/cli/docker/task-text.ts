/**
 * Tasks and plans as text for people.
 */
import { commandText as commandOf } from '../../../runtime/docker/service/request-text';
import { type PlanAnswer, type TaskAnswer } from '../../../runtime/docker/service/answers';

/** What tenants wrote, without the characters that would steer the terminal of the reader. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{fffd}');
}

/** `3m 20s`; the two largest units. */
export function ageText(from: string, to: number): string {
  const seconds = Math.max(0, Math.floor((to - Date.parse(from)) / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  return first < 0
    ? '0s'
    : parts
        .slice(first, first + 2)
        .filter(([amount]) => amount > 0)
        .map(([amount, unit]) => `${amount}${unit}`)
        .join(' ');
}

export function stateText({ state, exitCode, failure, attempt, stopping }: TaskAnswer): string {
  const again = attempt > 1 ? `, attempt ${attempt}` : '';
  if (state === 'failed') {
    const why = failure?.class === 'program' && exitCode !== undefined ? `exit ${exitCode}` : failure?.class;
    return `failed (${why ?? 'unknown'})${again}`;
  }
  return state === 'stopping' ? `stopping (${stopping ?? ''})` : `${state}${again}`;
}

/** The exit status of a command that waited for a task: that of its container, or 1 where it has none. */
export function statusOf({ state, exitCode = 0 }: TaskAnswer): number {
  return state === 'succeeded' ? 0 : exitCode || 1;
}

export function devicesText({ containers }: TaskAnswer): string {
  return [...new Set(containers.flatMap(({ deviceIndices }) => deviceIndices))].join(',') || '-';
}

export function commandText({ image, command }: TaskAnswer): string {
  return commandOf({ command: [image, ...command] });
}

/** One paragraph: where, or why not, until when, and what would help. */
export function planText({ starts, waits, wouldHelp, stops, startAt }: PlanAnswer): string {
  const lines =
    starts === undefined
      ? [`Waits: ${waits ?? 'unknown'}`]
      : [
          `Starts now${starts.length > 1 ? ` (${starts.length} containers)` : ''}:`,
          ...starts.map(
            ({ devices, cpus }) =>
              `  ${devices.length === 0 ? 'no devices' : devices.join(', ')}${cpus.length === 0 ? '' : `; CPUs ${cpus.join(',')}`}`,
          ),
        ];
  if (stops.length > 0) {
    lines.push(`Stops for it: ${stops.join(', ')}`);
  }
  if (startAt !== undefined) {
    lines.push(`Earliest start: ${startAt}`);
  }
  if (wouldHelp.length > 0) {
    lines.push('What would help:', ...wouldHelp.map((change) => `  ${change}`));
  }
  return `${lines.map(printable).join('\n')}\n`;
}

/**
 * What a task asks for and runs, in one line.
 */
import { type TaskSpec } from '../task/task';

export function requestText(devices: TaskSpec['devices'], replicas: number): string {
  const times = replicas > 1 ? ` ×${replicas}` : '';
  switch (devices.kind) {
    case 'none':
      return `-${times}`;
    case 'whole':
      return `${devices.count}${devices.models === undefined ? '' : ` ${devices.models.join('|')}`}${times}`;
    case 'memory': {
      const { mebibytes } = devices;
      return `${mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`}${times}`;
    }
    case 'mig':
      return `${devices.count === 1 ? '' : `${devices.count} × `}${devices.profile}${times}`;
  }
}

export function commandText({ command }: Pick<TaskSpec, 'command'>, longest = Infinity): string {
  const text = command.join(' ').replace(/\s+/g, ' ');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

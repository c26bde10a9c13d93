/**
 * Why the kubelet offers too few devices, as far as the sockets of device plugins say it. It explains a finding and is none by itself: plugins
 * come and go under names of their own choice, and a file without a program may be left from before.
 */
import { type DevicePlugins } from '../kubelet/device-plugins';

/** Names in one message. */
const MOST_NAMED = 3;

export class PluginWatch {
  /** Sockets that answered before and do not answer now. */
  private lost = new Set<string>();
  private answering = new Set<string>();

  add(plugins: DevicePlugins | undefined): void {
    if (plugins === undefined) {
      return;
    }
    const now = new Set(plugins.sockets.flatMap(({ name, answers }) => (answers ? [name] : [])));
    const gone = [...this.answering].filter((name) => !now.has(name));
    this.lost = new Set([...this.lost, ...gone].filter((name) => !now.has(name)));
    // A plugin that is back under another name is back.
    if (now.size >= this.answering.size + this.lost.size) {
      this.lost.clear();
    }
    this.answering = now;
  }

  /**
   * A reason and a clause for the finding that devices are missing; `undefined` where the sockets explain nothing.
   *
   * @param expected resources of the devices that the node must have
   */
  explanation(
    plugins: DevicePlugins | undefined,
    expected: Iterable<string>,
  ): { readonly reason: string; readonly clause: string } | undefined {
    if (plugins === undefined) {
      return undefined;
    }
    if (!plugins.kubeletAnswers) {
      return { reason: 'KubeletNotServing', clause: 'the kubelet does not accept registrations of device plugins' };
    }
    const refusing = plugins.sockets.flatMap(({ name, answers }) => (answers ? [] : [name]));
    const vanished = [...this.lost].filter((name) => !refusing.includes(name));
    const parts = [
      ...(refusing.length === 0 ? [] : [`no program listens on ${listed(refusing)}`]),
      ...(vanished.length === 0 ? [] : [`${listed(vanished)} ${vanished.length === 1 ? 'has' : 'have'} vanished`]),
    ];
    if (parts.length > 0) {
      return { reason: 'DevicePluginDown', clause: parts.join(', ') };
    }
    if (plugins.sockets.length === 0) {
      return { reason: 'DevicePluginDown', clause: 'no device plugin has a socket' };
    }
    const { registered } = plugins;
    const unknown = registered === undefined ? [] : [...expected].filter((name) => (registered.get(name) ?? 0) === 0);
    return unknown.length === 0
      ? undefined
      : { reason: 'DevicePluginNotRegistered', clause: `no plugin has registered ${listed(unknown)} with the kubelet` };
  }
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return names.length > MOST_NAMED ? `${shown} and ${names.length - MOST_NAMED} more` : shown;
}

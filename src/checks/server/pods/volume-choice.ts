/**
 * What to write where a container names a volume that the pod does not have.
 */
import { ObjectNames } from '../../../facts/spelling';
import { oneOf, withArticle } from '../../../facts/words';
import { type JsonObject } from '../../../facts/api/schema';
import { fieldOf } from '../../../manifests/pointer';
import { fieldFromObject, type PodView } from '../pod-view';
import { type Details } from '../server-rule';
import { dnsLabel } from '../../../manifests/values/name-syntax';

/** Volumes that a fix lists. */
const MOST_LISTED = 8;

/** The volumes that can be used in one way. */
export interface VolumeUse {
  readonly noun: string;
  /** What such a volume must have, after the noun. @default - nothing */
  readonly having?: string;
  readonly allows?: (volume: JsonObject) => boolean;
}

export class VolumeChoice {
  private known?: ObjectNames;

  constructor(
    private readonly pod: PodView,
    private readonly use: VolumeUse,
  ) {}

  /** A name that resembles the unknown one, or the volume itself and the volumes that there are. */
  insteadOf(name: string, path: string): Details {
    const { noun, having = '' } = this.use;
    const names = (this.known ??= new ObjectNames(this.names()));
    const field = fieldOf(path);
    const list = fieldFromObject(this.pod, '/spec/volumes');
    const near = names.nearest(name);
    const added = `the ${noun} "${name}"${having} to ${list}`;
    if (near !== undefined) {
      const otherwise = dnsLabel(name) === undefined ? `, or add ${added}` : '';
      return { expected: near, fix: `Set ${field} to ${near}${otherwise}.` };
    }
    const others = names.size > MOST_LISTED ? `an existing ${noun}${having}` : oneOf([...names]);
    const otherwise =
      names.size === 0 ? `remove ${fieldOf(path.slice(0, path.lastIndexOf('/')))}` : `set ${field} to ${others}`;
    // A volume cannot be added with an invalid name.
    const fix =
      dnsLabel(name) === undefined
        ? `Add ${added}, or ${otherwise}.`
        : `${otherwise.charAt(0).toUpperCase()}${otherwise.slice(1)}.`;
    return { expected: `${withArticle(noun)}${having} in ${list}`, fix };
  }

  /** A volume with an invalid name cannot be used. */
  private *names(): Iterable<string> {
    for (const [name, volume] of this.pod.volumes) {
      if (dnsLabel(name) === undefined && this.use.allows?.(volume) !== false) {
        yield name;
      }
    }
  }
}

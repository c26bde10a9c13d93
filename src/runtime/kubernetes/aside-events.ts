/**
 * Events of objects that the scheduler ignores.
 *
 * One that is set aside again and again for the same reason, as a gang that is tried again every minute is, is reported once in a while.
 */
import { compareNames } from '../../placement/model/names';
import { asObject, asString } from '../../manifests/read';
import { type Clock, SYSTEM_CLOCK } from '../api/clock';
import { type Watched } from '../api/watched';
import { type Explainer, type Regarding } from './explain';
import { collectionOf } from './report-pod-groups';
import { type GangMembers } from './world/gang-members';
import { podGroupVersion } from './world/pod-groups';
import { type Aside, type AsideKind } from './world/set-aside';
import { type World } from './world/world';

export interface AsideEventsOptions {
  readonly world: Pick<World, 'gangs'>;
  readonly watched: Pick<Watched, 'all'>;
  readonly explainer: Pick<Explainer, 'eventOf'>;
  readonly limits: () => { readonly repeatSeconds: number };
  /** @default SYSTEM_CLOCK */
  readonly clock?: Clock;
}

/** Objects of which it is known when they were reported. */
const MOST_KNOWN = 5000;

export class AsideEvents {
  private readonly reported = new Map<string, { readonly reason: string; readonly at: number }>();
  private readonly clock: Clock;

  constructor(private readonly options: AsideEventsOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** @returns whether it is reported, and not only known already */
  begins({ kind, name, reason }: Aside): boolean {
    const key = `${kind} ${name}`;
    const before = this.reported.get(key);
    const now = this.clock.monotonic();
    if (before?.reason === reason && now - before.at < this.options.limits().repeatSeconds * 1000) {
      return false;
    }
    this.reported.delete(key);
    this.reported.set(key, { reason, at: now });
    const [oldest] = this.reported.keys();
    if (this.reported.size > MOST_KNOWN) {
      this.reported.delete(oldest);
    }
    const regarding = this.regarding(kind, name);
    if (regarding !== undefined) {
      const what = kind === 'gang' && regarding.kind === 'Pod' ? 'the gang of the pod' : 'it';
      this.options.explainer.eventOf(regarding, 'Warning', 'SetAside', `The scheduler ignores ${what}: ${reason}.`);
    }
    return true;
  }

  private regarding(kind: AsideKind, name: string): Regarding | undefined {
    const [namespace, short] = name.includes('/') ? name.split('/') : [undefined, name];
    switch (kind) {
      case 'node':
        return { apiVersion: 'v1', kind: 'Node', name };
      case 'queue':
        return { apiVersion: 'scheduling.volcano.sh/v1beta1', kind: 'Queue', name };
      case 'pod':
        return { apiVersion: 'v1', kind: 'Pod', ...(namespace !== undefined && { namespace }), name: short };
      case 'gang':
        return this.ofGang(this.options.world.gangs.get(name));
      case 'object':
        return undefined;
    }
  }

  private ofGang(members: GangMembers | undefined): Regarding | undefined {
    return members === undefined ? undefined : (this.groupOf(members) ?? firstPodOf(members));
  }

  /** The PodGroup of the gang, where it exists. */
  private groupOf(members: GangMembers): Regarding | undefined {
    const { namespace, name } = members.identity;
    const collection = collectionOf(members);
    const apiVersion = collection === undefined ? undefined : podGroupVersion(collection);
    const object =
      collection === undefined ? undefined : this.options.watched.all(collection).get(`${namespace}/${name}`);
    const uid = asString(asObject(object?.metadata).uid);
    return apiVersion === undefined || object === undefined
      ? undefined
      : { apiVersion, kind: 'PodGroup', namespace, name, ...(uid !== undefined && { uid }) };
  }
}

function firstPodOf({ pods }: GangMembers): Regarding | undefined {
  const [first] = [...pods.values()].sort((a, b) => compareNames(a.key, b.key));
  if (first === undefined) {
    return undefined;
  }
  const [namespace, name] = first.key.split('/');
  return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: first.uid };
}

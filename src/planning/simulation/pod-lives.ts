/**
 * How pods and gangs of a simulation begin and end: bound, evicted with a grace period, lost with their node, finished, or withdrawn.
 *
 * A pod that is released works no more, and holds its room until its grace period is over.
 */
import { type Binding } from '../../placement';
import { type RemediationEviction } from '../remediation';
import { type GangRun, type LivePod } from './gang-run';
import { heldPod, templateOf } from './live-pods';
import { type SimulationObserver } from './observer';
import { type Recorder } from './recorder';
import { type SimulatedCluster } from './simulated-cluster';

/** What the simulation does as pods and gangs begin and end. */
export interface PodEffects {
  readonly cluster: SimulatedCluster;
  readonly recorder: Recorder;
  readonly observer: SimulationObserver;
  readonly now: () => number;
  /** Of a pod that is released without a period of its own. */
  readonly graceSeconds: number;
  /** Part of its speed that links allow a gang on these nodes. */
  readonly speed: (nodes: ReadonlySet<string>) => number;
  readonly releasedLater: (at: number, run: GangRun, pod: LivePod) => void;
  readonly endsLater: (at: number, run: GangRun) => void;
  readonly podStarts: (node: string) => void;
  readonly podEnds: (node: string) => void;
}

export class PodLives {
  /** Gangs that are over. */
  finished = 0;

  constructor(private readonly effects: PodEffects) {}

  bind(run: GangRun, binding: Binding): void {
    const { cluster, recorder, observer, now, podStarts } = this.effects;
    const { pod: name, role, node, devices } = binding;
    const claims = cluster.takeClaims(binding);
    const pod: LivePod = {
      name,
      role,
      node,
      devices,
      startedAt: now(),
      releasing: false,
      ...(claims && { claims }),
    };
    run.pods.set(name, pod);
    cluster.setPod(run, pod);
    recorder.pod(node, run.spec.gang.queue, templateOf(run, role), 1);
    observer.held?.(heldPod(run, pod), now());
    podStarts(node);
  }

  release(run: GangRun, pod: LivePod, graceSeconds = this.effects.graceSeconds): void {
    pod.releasing = true;
    this.effects.cluster.setPod(run, pod);
    if (graceSeconds === 0) {
      this.remove(run, pod);
    } else {
      this.effects.releasedLater(this.effects.now() + graceSeconds, run, pod);
    }
  }

  remove(run: GangRun, pod: LivePod): void {
    const { cluster, recorder, observer, now, podEnds } = this.effects;
    run.pods.delete(pod.name);
    cluster.removePod(pod);
    recorder.pod(pod.node, run.spec.gang.queue, templateOf(run, pod.role), -1);
    observer.freed?.(heldPod(run, pod), now());
    podEnds(pod.node);
  }

  /** @returns whether a pod of the gang is evicted */
  evict(run: GangRun, { pods, graceSeconds }: RemediationEviction): boolean {
    const found = pods.flatMap(({ name }) => run.pods.get(name) ?? []).filter(({ releasing }) => !releasing);
    for (const pod of found) {
      run.evictions++;
      this.release(run, pod, graceSeconds);
    }
    if (found.length > 0) {
      this.settled(run, 'evicted');
    }
    return found.length > 0;
  }

  /** The pods on the nodes terminate, immediately or after their grace period. */
  lose(nodes: readonly string[], grace: boolean): void {
    const gone = new Set(nodes);
    for (const run of this.effects.cluster.live) {
      const pods = [...run.pods.values()].filter(({ node, releasing }) => gone.has(node) && !(grace && releasing));
      if (pods.length === 0) {
        continue;
      }
      for (const pod of pods) {
        run.losses += pod.releasing ? 0 : 1;
        if (grace) {
          this.release(run, pod);
        } else {
          this.remove(run, pod);
        }
      }
      this.settled(run, 'lost');
    }
  }

  over(run: GangRun, state: 'finished' | 'canceled'): void {
    for (const pod of [...run.pods.values()]) {
      this.remove(run, pod);
    }
    run.finish(this.effects.now(), state);
    this.effects.cluster.removeGang(run);
    this.finished++;
  }

  /** Takes note of what became of the gang's pods. */
  settled(run: GangRun, why: 'evicted' | 'moved' | 'resized' | 'lost'): void {
    const { observer, now, speed, endsLater } = this.effects;
    const isNew = !run.hasStarted;
    run.settle(now(), why, speed(run.runsOn));
    if (isNew && run.hasStarted) {
      observer.started?.(run.spec.gang.name, now());
    }
    if (run.endsAt !== undefined) {
      endsLater(run.endsAt, run);
    }
  }
}

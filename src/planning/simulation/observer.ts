/**
 * What a caller may follow while a simulation runs.
 */
import { type PodTemplate } from '../../placement';

/** For a line of progress. */
export interface Progress {
  /** Seconds simulated. */
  readonly at: number;
  readonly finished: number;
  readonly gangs: number;
}

/** What a caller follows while a simulation runs. All times are seconds from the beginning. */
export interface SimulationObserver {
  /** The gang has its minimum for the first time. */
  readonly started?: (gang: string, at: number) => void;
  /** A pod holds capacity of a node from now on. */
  readonly held?: (pod: HeldPod, at: number) => void;
  /** The pod holds it no longer. Pods that hold capacity at the end are not reported. */
  readonly freed?: (pod: HeldPod, at: number) => void;
  /** A node of a scaling group is requested. */
  readonly requested?: (node: string, at: number) => void;
  /** A node of a scaling group ends. */
  readonly ended?: (node: string, at: number) => void;
  /** Returns true to stop; called after each moment at which something happened. */
  readonly stops?: (at: number) => boolean;
}

export interface HeldPod {
  readonly name: string;
  readonly gang: string;
  readonly node: string;
  readonly template: PodTemplate;
}

export interface SimulateOptions {
  /** Called now and then as time goes by. @default - not called */
  readonly tell?: (progress: Progress) => void;
  /** Whether to look for the reasons why gangs wait. @default true */
  readonly explain?: boolean;
  /** @default - none */
  readonly observer?: SimulationObserver;
}

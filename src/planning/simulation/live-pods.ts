/**
 * A pod of a simulation as the placement core and observers read it.
 */
import { type Pod, type PodTemplate } from '../../placement';
import { type GangRun, type LivePod } from './gang-run';
import { type HeldPod } from './observer';

export function templateOf({ spec }: GangRun, role: string): PodTemplate {
  return spec.gang.roles.find(({ name }) => name === role)!.template;
}

export function podOf({ spec }: GangRun, { name, role, node, devices, startedAt, releasing, claims }: LivePod): Pod {
  const state: Pod['state'] = releasing ? 'releasing' : 'running';
  return {
    name,
    gang: spec.gang.name,
    role,
    node,
    devices,
    startedAt: startedAt * 1000,
    state,
    ...(claims && { claims }),
  };
}

export function heldPod(run: GangRun, { name, node, role }: LivePod): HeldPod {
  return { name, node, gang: run.spec.gang.name, template: templateOf(run, role) };
}

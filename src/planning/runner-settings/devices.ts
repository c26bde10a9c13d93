/**
 * The devices that `runner.yaml` states. Their MIG instances are compared with what the catalog knows of the model.
 */
import { type AcceleratorFacts, acceleratorsNamed, parseMigProfile } from '../../facts/catalog';
import { type MigLayout, migLayoutProblems } from '../../facts/catalog/mig-layout';
import { definedMembers } from '../../manifests/values/members';
import { type Section } from './section';
import { type StatedDevice, type StatedInstance } from './settings';

const CDI_NAME = /^[^/=\s]+\/[^/=\s]+=\S+$/;

export function devicesOf(all: Section): readonly StatedDevice[] | undefined {
  const ids = new Set<string>();
  return all.sections('devices')?.flatMap((device) => {
    device.known(['cdi', 'uuid', 'model', 'memory', 'numa', 'island', 'mig']);
    const cdi = device.text('cdi');
    if (cdi !== undefined && !CDI_NAME.test(cdi)) {
      device.fault('cdi', `must be a full CDI name such as nvidia.com/gpu=0, not ${JSON.stringify(cdi)}`);
    }
    const id = device.text('uuid') ?? cdi;
    if (id === undefined) {
      device.faultHere('must have "cdi", a name such as nvidia.com/gpu=0, or "uuid"');
      return [];
    }
    if (ids.has(id)) {
      device.faultHere(`duplicate device ${JSON.stringify(id)}`);
    }
    ids.add(id);
    const [memory, model, mig] = [device.bytes('memory'), device.text('model'), instancesOf(device)];
    const misfit = model === undefined || mig === undefined ? undefined : misfitOf(model, mig);
    if (misfit !== undefined) {
      device.fault('mig', misfit);
    }
    return [
      definedMembers({
        id,
        cdi,
        model,
        memoryMiB: memory === undefined ? undefined : Math.floor(memory / 2 ** 20),
        numa: device.count('numa'),
        island: device.text('island'),
        mig,
      }),
    ];
  });
}

function instancesOf(device: Section): readonly StatedInstance[] | undefined {
  const ids = new Set<string>();
  return device.sections('mig', '{ uuid, profile }')?.flatMap((instance) => {
    instance.known(['uuid', 'profile']);
    const [id, profile] = [instance.text('uuid'), instance.text('profile')];
    if (id === undefined || profile === undefined) {
      instance.faultHere('must have "uuid" and "profile"');
      return [];
    }
    if (ids.has(id)) {
      instance.fault('uuid', `duplicate MIG instance ${JSON.stringify(id)}`);
    }
    ids.add(id);
    if (parseMigProfile(profile) === undefined) {
      instance.fault('profile', 'must be a MIG profile such as 1g.10gb');
      return [];
    }
    return [{ id, profile }];
  });
}

/**
 * Why no device of this model can have these instances together, as said of the board that comes closest. Nothing is said of a model that the catalog does
 * not have.
 */
function misfitOf(model: string, instances: readonly StatedInstance[]): string | undefined {
  const profiles = instances.map(({ profile }) => profile);
  const [closest = []] = acceleratorsNamed(model)
    .map((gpu) => migLayoutProblems(gpu, layoutOn(gpu, profiles)))
    .sort((a, b) => a.length - b.length);
  return profiles.length === 0 || closest.length === 0
    ? undefined
    : `cannot be the instances of one ${model}: ${closest.join('; ')}`;
}

/**
 * The instances by the profiles that the catalog knows. A variant that it does not list, such as one with graphics, is counted as the plain profile. Compute
 * instances share the instance that they divide, so they are counted as one.
 */
function layoutOn({ mig }: AcceleratorFacts, profiles: readonly string[]): MigLayout {
  const counts = new Map<string, number>();
  for (const name of profiles) {
    const whole = name.replace(/^\d+c\./, '');
    const plain = whole.replace(/[+-].*$/s, '');
    const known = mig.some((profile) => profile.name === whole) ? whole : plain;
    const count = counts.get(known) ?? 0;
    counts.set(known, whole === name ? count + 1 : Math.max(count, 1));
  }
  return Object.fromEntries(counts);
}

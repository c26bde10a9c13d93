/**
 * CDI specifications of devices that state what a container gets: one file for each kind of device.
 */
import { type JsonObject } from '../../facts/api/schema';
import { addTo } from '../../facts/collections';
import { definedJson } from '../../manifests/values/members';
import { type NodeDocument } from '../node-tuning/node-document';
import { type ContainerDevice, type RunnerDevice } from './runner-settings';

/** Engines since Docker 25 read it, and it is the first version in which a class may contain dots. */
const VERSION = '0.6.0';

/** Devices whose specifications a program of the vendor writes, with the program. */
const GENERATORS: ReadonlyMap<string, string> = new Map([
  ['nvidia.com', 'nvidia-ctk cdi generate'],
  ['amd.com', 'amd-ctk cdi generate'],
]);

/** @throws if a device has no CDI name, its vendor has a generator, or a container gets nothing with it */
export function cdiDocuments(devices: readonly RunnerDevice[]): readonly NodeDocument[] {
  const byKind = new Map<string, JsonObject[]>();
  devices.forEach(({ cdi, container }, index) => {
    if (container !== undefined) {
      const { kind, name } = qualified(`devices[${index}]`, cdi);
      addTo(byKind, kind, { name, containerEdits: editsOf(`devices[${index}].container`, container) });
    }
  });
  return [...byKind].map(([kind, entries]) => documentOf(kind, entries));
}

function qualified(prop: string, cdi: string | undefined): { readonly kind: string; readonly name: string } {
  const [, vendor, className, name] = /^([^/=]+)\/([^/=]+)=(.+)$/.exec(cdi ?? '') ?? [];
  if (vendor === undefined || className === undefined || name === undefined) {
    throw new Error(`${prop}.cdi must be a full CDI name such as example.com/accel=0, because container is set.`);
  }
  const generator = GENERATORS.get(vendor);
  if (generator !== undefined) {
    throw new Error(
      `${prop}.container must not be set for devices of ${vendor}. Run \`${generator}\` on the host, which knows the files of the driver.`,
    );
  }
  return { kind: `${vendor}/${className}`, name };
}

function editsOf(prop: string, { deviceFiles = [], mounts = [], env = {} }: ContainerDevice): JsonObject {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  if (deviceFiles.length + mounts.length + variables.length === 0) {
    throw new Error(`${prop} must set deviceFiles, mounts, or env.`);
  }
  const relative = [...deviceFiles, ...mounts].find((path) => !path.startsWith('/'));
  if (relative !== undefined) {
    throw new Error(`${prop}: "${relative}" must be an absolute path of the host.`);
  }
  return definedJson({
    deviceNodes: unlessEmpty(deviceFiles.map((path) => ({ path }))),
    mounts: unlessEmpty(
      mounts.map((path) => ({ hostPath: path, containerPath: path, options: ['ro', 'nosuid', 'nodev', 'rbind'] })),
    ),
    env: unlessEmpty(variables),
  });
}

function documentOf(kind: string, devices: readonly JsonObject[]): NodeDocument {
  const specification = { cdiVersion: VERSION, kind, devices };
  return {
    path: `/etc/cdi/${kind.replace('/', '-')}.json`,
    rollOut: ['copy the file', 'gantry docker check'],
    toText: () => `${JSON.stringify(specification, undefined, 2)}\n`,
  };
}

function unlessEmpty<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/**
 * The folder in which device plugins and the kubelet meet: whether the socket of each still answers, and which devices the kubelet has written down.
 *
 * A socket of a program that ended stays as a file and refuses connections. Nothing is sent over a connection: it is opened and closed.
 *
 * Source of the file: kubelet v0.36.3, pkg/kubelet/cm/devicemanager/checkpoint.
 */
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { asArray, asObject, isObject } from '../../../manifests/read';
import { type JsonValue } from '../../../facts/api/schema';

/** Path of the folder, from the root of the host. */
export const DEVICE_PLUGINS_FOLDER = 'var/lib/kubelet/device-plugins';

const KUBELET_SOCKET = 'kubelet.sock';
const CHECKPOINT = 'kubelet_internal_checkpoint';
/** Sockets that are looked at; plugins that leave their files behind make more. */
const MOST_SOCKETS = 64;
const MOST_CHECKPOINT_BYTES = 4 * 2 ** 20;
const MOST_RESOURCES = 256;

export interface PluginSocket {
  readonly name: string;
  /** A program listens on it. */
  readonly answers: boolean;
}

export interface DevicePlugins {
  /** The kubelet takes registrations. */
  readonly kubeletAnswers: boolean;
  readonly sockets: readonly PluginSocket[];
  /** Devices by resource that the kubelet wrote down when something last changed. Absent: there is no such file, or it makes no sense. */
  readonly registered?: ReadonlyMap<string, number>;
}

/**
 * @param folder path of the folder
 * @param timeout of each connection, milliseconds
 * @returns `undefined` where there is no such folder
 * @throws Error where it cannot be read
 */
export async function readDevicePlugins(folder: string, timeout: number): Promise<DevicePlugins | undefined> {
  const names = await namesIn(folder);
  if (names === undefined) {
    return undefined;
  }
  const sockets: string[] = [];
  for (const name of names) {
    // Links are not followed.
    if (sockets.length < MOST_SOCKETS && (await isSocket(join(folder, name)))) {
      sockets.push(name);
    }
  }
  const states = await Promise.all(
    sockets.map(async (name): Promise<PluginSocket> => ({ name, answers: await answers(join(folder, name), timeout) })),
  );
  const registered = names.includes(CHECKPOINT) ? await readCheckpoint(join(folder, CHECKPOINT)) : undefined;
  return {
    kubeletAnswers: states.some((socket) => socket.name === KUBELET_SOCKET && socket.answers),
    sockets: states.filter(({ name }) => name !== KUBELET_SOCKET),
    ...(registered !== undefined && { registered }),
  };
}

async function namesIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSocket();
  } catch {
    return false;
  }
}

function answers(path: string, timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(timeout, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

async function readCheckpoint(path: string): Promise<ReadonlyMap<string, number> | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MOST_CHECKPOINT_BYTES || !(await lstat(path)).isFile()) {
      return undefined;
    }
    const value = JSON.parse(await readFile(path, 'utf8')) as JsonValue;
    const data = isObject(value) ? asObject(value).Data : undefined;
    const { RegisteredDevices: devices } = asObject(data);
    return isObject(devices)
      ? new Map(
          Object.entries(devices)
            .slice(0, MOST_RESOURCES)
            .map(([resource, ids]) => [resource, new Set(asArray(ids)).size]),
        )
      : undefined;
  } catch {
    return undefined;
  }
}

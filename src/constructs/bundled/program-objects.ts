/**
 * The objects of a program that runs on a stock Node image: its ConfigMaps, the volume that puts them together, and the command.
 */
import { type ApiObject, type ApiObjectMetadata } from 'cdk8s';
import { type Construct } from 'constructs';
import { ConfigMap, type Volume, type VolumeMount } from '../../facts/api/types/core/v1';
import { Resource } from '../resources/resource';
import { type Program, START_KEY } from './program';

const PROGRAM_FOLDER = '/opt/gantry';
const VOLUME = 'program';

/** Immutable ConfigMaps that are named for the content of the program, so that a new version is a new object. */
export function programConfigMaps(
  scope: Construct,
  metadata: ApiObjectMetadata & { readonly name: string },
  { parts, start, hash }: Program,
): readonly ApiObject[] {
  return parts.map(
    ({ key, content }, index) =>
      new Resource(scope, `Program${index + 1}`, ConfigMap, {
        metadata: { ...metadata, name: `${metadata.name}-program-${hash}-${index + 1}` },
        immutable: true,
        ...(index === 0 ? { data: { [START_KEY]: start } } : {}),
        binaryData: { [key]: content },
      }),
  );
}

/** @param configMaps names of the ConfigMaps with the program */
export function programVolume(configMaps: readonly string[]): Volume {
  return { name: VOLUME, projected: { sources: configMaps.map((name) => ({ configMap: { name } })) } };
}

export const PROGRAM_MOUNT: VolumeMount = { name: VOLUME, mountPath: PROGRAM_FOLDER, readOnly: true };

/** @param heap what V8 may have of the container's memory, in mebibytes */
export function programCommand(heap: number | undefined): readonly string[] {
  return ['node', ...(heap === undefined ? [] : [`--max-old-space-size=${heap}`]), `${PROGRAM_FOLDER}/${START_KEY}`];
}

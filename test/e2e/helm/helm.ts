/**
 * Helm, built once per version from the Go module proxy.
 */
import { join } from 'node:path';
import { buildGoProgram, cacheFolder, requiredVersion, whyNoPrograms } from '../go-program';

const MODULE = 'helm.sh/helm/v4';

/** The version that `go.mod` requires. */
export function helmVersion(): string {
  return requiredVersion(__dirname, MODULE);
}

/** The folder of the program, for PATH. */
export function helmFolder(): string {
  return join(cacheFolder(), `helm-${helmVersion()}`);
}

function programPath(): string {
  return join(helmFolder(), 'helm');
}

/** What keeps this machine from running Helm; `undefined` where nothing does. */
export function whyNoHelm(): string | undefined {
  return whyNoPrograms([programPath()], 'Helm');
}

/** The path of Helm, which is built if the cache does not have it (two minutes or three). */
export function buildHelm(print?: (line: string) => void): string {
  return buildGoProgram({ target: programPath(), folder: __dirname, package: `${MODULE}/cmd/helm` }, print);
}

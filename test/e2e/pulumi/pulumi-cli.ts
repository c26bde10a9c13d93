/**
 * The command of Pulumi, built once per version from the Go module proxy, and what a run of it needs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../control-plane/components';

const MODULE = 'github.com/pulumi/pulumi/pkg/v3';

/** The version that `go.mod` pins. */
export function pulumiVersion(): string {
  const version = new RegExp(`${MODULE} (v\\S+)`).exec(readFileSync(join(__dirname, 'go.mod'), 'utf8'))?.[1];
  if (version === undefined) {
    throw new Error(`go.mod pins no version of ${MODULE}.`);
  }
  return version;
}

/** The folder whose `bin` has the command, as the Automation API wants it. */
export function pulumiRoot(): string {
  return join(cacheFolder(), `pulumi-${pulumiVersion()}`);
}

/** What keeps this machine from running Pulumi; `undefined` where nothing does. */
export function whyNoPulumi(): string | undefined {
  if (existsSync(join(pulumiRoot(), 'bin', 'pulumi'))) {
    return undefined;
  }
  return spawnSync('go', ['version']).status === 0
    ? undefined
    : 'Go is not on this machine (no `go` in PATH), and the Pulumi command is not in the cache.';
}

/** Builds the command if the cache does not have it (about six minutes on two cores). */
export function buildPulumi(): string {
  const root = pulumiRoot();
  const target = join(root, 'bin', 'pulumi');
  if (existsSync(target)) {
    return root;
  }
  mkdirSync(dirname(target), { recursive: true });
  // Under a name of its own until it is whole. The Automation API refuses a command without a version.
  const partial = `${target}.${process.pid}`;
  const flags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${pulumiVersion()}`;
  const { status, stderr } = spawnSync(
    'go',
    ['build', '-trimpath', '-buildvcs=false', '-ldflags', flags, '-o', partial, `${MODULE}/cmd/pulumi`],
    { cwd: __dirname, encoding: 'utf8', env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' } },
  );
  if (status !== 0) {
    throw new Error(`go build pulumi failed:\n${stderr.split('\n').slice(-20).join('\n')}`);
  }
  renameSync(partial, target);
  return root;
}

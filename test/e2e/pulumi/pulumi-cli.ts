/**
 * The command of Pulumi, built once per version from the Go module proxy, and what a run of it needs.
 */
import { join } from 'node:path';
import { buildGoProgram, cacheFolder, requiredVersion, whyNoPrograms } from '../go-program';

const MODULE = 'github.com/pulumi/pulumi/pkg/v3';

/** The version that `go.mod` requires. */
export function pulumiVersion(): string {
  return requiredVersion(__dirname, MODULE);
}

/** The folder whose `bin` has the command, as the Automation API wants it. */
export function pulumiRoot(): string {
  return join(cacheFolder(), `pulumi-${pulumiVersion()}`);
}

function programPath(): string {
  return join(pulumiRoot(), 'bin', 'pulumi');
}

/** What keeps this machine from running Pulumi; `undefined` where nothing does. */
export function whyNoPulumi(): string | undefined {
  return whyNoPrograms([programPath()], 'the Pulumi command');
}

/** Builds the command if the cache does not have it (about six minutes on two cores). */
export function buildPulumi(print?: (line: string) => void): string {
  buildGoProgram(
    {
      target: programPath(),
      folder: __dirname,
      package: `${MODULE}/cmd/pulumi`,
      // The Automation API refuses a command without a version.
      linkerFlags: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${pulumiVersion()}`,
    },
    print,
  );
  return pulumiRoot();
}

/**
 * Volcano's scheduler, built from its module.
 */
import { join } from 'node:path';
import { buildGoProgram, cacheFolder, hashOfSources, requiredVersion, whyNoPrograms } from '../../test/e2e/go-program';

const FOLDER = join(__dirname, 'volcano');

function target(): string {
  const version = requiredVersion(FOLDER, 'volcano.sh/volcano');
  return join(cacheFolder(), `volcano-scheduler-${version}-${hashOfSources([FOLDER])}`, 'vc-scheduler');
}

/** What keeps this machine from running it; `undefined` where nothing does. */
export function whyNoVolcano(): string | undefined {
  return whyNoPrograms([target()], "Volcano's scheduler");
}

/** @returns its path */
export function buildVolcano(print: (line: string) => void): string {
  return buildGoProgram(
    {
      target: target(),
      folder: FOLDER,
      package: 'volcano.sh/volcano/cmd/scheduler',
      added: {
        file: 'missing/queue_gate.go',
        module: 'volcano.sh/apis',
        package: 'pkg/apis/scheduling/v1beta1',
      },
    },
    print,
  );
}

if (require.main === module) {
  console.log(buildVolcano((line) => console.log(line)));
}

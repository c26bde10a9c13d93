/**
 * `npm run record:gates`: asks the API servers of several minors about fields whose feature gate is off in some of them,
 * and writes what they say to `test/fixtures/gates.jsonl`, one document and minor a line.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, type KubernetesMinor } from '../../../src/facts/api/schema';
import { gateCases } from '../../checks/server/gate-cases';
import { buildPrograms } from '../control-plane/build';
import { Cluster } from '../control-plane/cluster';
import { kubernetesVersion } from '../control-plane/components';
import { Discovery } from '../control-plane/discovery';
import { askServer } from '../control-plane/server-verdict';
import { stopStartedOnSignal } from '../control-plane/started';

const FIXTURE = join(__dirname, '../../fixtures/gates.jsonl');
const MINORS: readonly KubernetesMinor[] = ['1.30', '1.36', '1.37'];

async function main(): Promise<void> {
  stopStartedOnSignal();
  const lines: string[] = [];
  for (const minor of MINORS) {
    const cluster = await Cluster.start({ programs: buildPrograms({ print: (line) => console.log(line), minor }) });
    try {
      const discovery = await Discovery.read(cluster.client);
      for (const [what, object] of Object.entries(gateCases())) {
        lines.push(await lineOf(cluster, discovery, minor, what, object));
      }
    } finally {
      await cluster.stop();
    }
  }
  writeFileSync(FIXTURE, `${lines.join('\n')}\n`);
  console.log(`${lines.length} verdicts written`);
}

async function lineOf(
  cluster: Cluster,
  discovery: Discovery,
  minor: KubernetesMinor,
  what: string,
  object: JsonObject,
): Promise<string> {
  const { verdict, status, message } = await askServer(cluster.client, discovery, object);
  if (verdict === 'unclear') {
    throw new Error(`kube-apiserver ${kubernetesVersion(minor)} on ${what}: ${status} ${message}`);
  }
  return JSON.stringify({ minor, what, verdict, message: message.slice(0, 200) });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/**
 * The control plane by hand: `npm run control-plane -- up|down|status`.
 */
import { applyCustomResources } from './custom-resources';
import { whyNoControlPlane } from './availability';
import { buildPrograms } from './build';
import { Cluster, stopAbandoned, stopThoseByHand } from './cluster';
import { coveredDefinitions } from './covered-definitions';

const USAGE = `usage: npm run control-plane -- up [--with NAME]… | down | status
  up      build what is missing, start a control plane, apply the definitions of every covered project
          --with kube-controller-manager | kube-scheduler | kwok
  down    stop every control plane on this machine that was started by hand or left behind
  status  say what runs, and where its kubeconfig is`;

const EXTRAS = ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const;
type Extra = (typeof EXTRAS)[number];

async function main(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command === 'up') {
    return up(extrasIn(rest));
  }
  if (command === 'down' && rest.length === 0) {
    return down();
  }
  if (command === 'status' && rest.length === 0) {
    return status();
  }
  throw new TypeError(USAGE);
}

async function up(extra: readonly Extra[]): Promise<number> {
  const reason = whyNoControlPlane();
  if (reason !== undefined) {
    console.error(reason);
    return 1;
  }
  const programs = buildPrograms({ print: (line) => console.log(line) });
  const started = Date.now();
  const cluster = await Cluster.start({ programs, extra, outliveProgram: true });
  await applyCustomResources(cluster.client, coveredDefinitions());
  cluster.client.close();
  console.log(`up in ${((Date.now() - started) / 1000).toFixed(1)} s: export KUBECONFIG=${cluster.kubeconfig}`);
  return 0;
}

async function down(): Promise<number> {
  await stopAbandoned();
  for (const folder of await stopThoseByHand()) {
    console.log(`stopped ${folder}`);
  }
  return 0;
}

function status(): Promise<number> {
  const running = Cluster.running();
  for (const cluster of running) {
    const processes = cluster.processes.map(({ name, pid }) => `${name} ${pid}`).join(', ');
    console.log(`${cluster.isByHand ? 'by hand' : 'by a program'}: KUBECONFIG=${cluster.kubeconfig} (${processes})`);
  }
  if (running.length === 0) {
    console.log('no control plane runs');
  }
  return Promise.resolve(0);
}

function extrasIn(args: readonly string[]): readonly Extra[] {
  const extras: Extra[] = [];
  for (let index = 0; index < args.length; index += 2) {
    const name = EXTRAS.find((extra) => extra === args[index + 1]);
    if (args[index] !== '--with' || name === undefined) {
      throw new TypeError(USAGE);
    }
    extras.push(name);
  }
  return extras;
}

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = error instanceof TypeError ? 2 : 1;
  },
);

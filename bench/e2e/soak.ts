/**
 * Memory under churn: gangs come and go for as long as one likes, and the program must not grow.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lab, nameOf } from '../../test/e2e/scheduler/lab';
import { median } from '../machine';
import { costOf, startContender } from './contender';
import { gangsFor, type LoadGang } from './load';

/** Pods that come in a second; as many go. */
const RATE = 25;
const SAMPLE = 10_000;

export async function soak(lab: Lab, minutes: number, pods: number): Promise<void> {
  const gantry = await startContender('gantry', lab.kubeconfig);
  const samples: number[] = [];
  const alive: LoadGang[] = [];
  const until = Date.now() + minutes * 60_000;
  let count = 0;
  let gone = 0;
  let nextSample = Date.now() + SAMPLE;
  try {
    for (let round = 0; Date.now() < until; round++) {
      const started = performance.now();
      const fresh = gangsFor('gantry', RATE, round + 1, `r${round}`);
      for (const { pods: members } of fresh) {
        await lab.createMany(members);
      }
      alive.push(...fresh);
      count += RATE;
      while (alive.reduce((sum, gang) => sum + gang.pods.length, 0) > pods / 10) {
        const { pods: members } = alive.shift()!;
        for (const pod of members) {
          await lab.delete(`/api/v1/namespaces/default/pods/${nameOf(pod)}`);
        }
        gone += members.length;
      }
      if (Date.now() >= nextSample) {
        samples.push(costOf(gantry.pid).memoryMiB);
        nextSample += SAMPLE;
      }
      await sleep(Math.max(0, 1000 - (performance.now() - started)));
    }
    const third = Math.max(1, Math.floor(samples.length / 3));
    const [first, last] = [median(samples.slice(third, 2 * third)), median(samples.slice(-third))];
    console.log(
      `soak: ${minutes} minutes, ${count} pods came and ${gone} went; CPU ${costOf(gantry.pid).cpuSeconds.toFixed(0)} s`,
    );
    console.log(
      `memory: second third ${first.toFixed(0)} MiB, last third ${last.toFixed(0)} MiB, peak ${costOf(gantry.pid).peakMiB.toFixed(0)} MiB`,
    );
  } finally {
    await gantry.stop();
  }
}

/**
 * What holds after a crash: no task is lost, none runs twice unless it may, and no device is promised twice.
 */
import { type LiveEngine } from '../live-engine';
import { type Fault, Ordeal, type Scenario } from './ordeal';

/** @returns the step of the crash; `undefined` if it was not reached */
export async function crashAt(engine: LiveEngine, scenario: Scenario, fault: Fault): Promise<string | undefined> {
  const ordeal = new Ordeal(engine, scenario, fault);
  try {
    await expectNothingLost(ordeal, scenario, fault);
    return ordeal.crashedAt;
  } finally {
    await ordeal.end();
  }
}

async function expectNothingLost(ordeal: Ordeal, { state, attempts }: Scenario, { kills }: Fault): Promise<void> {
  const task = await ordeal.task();
  const next = await ordeal.next();
  const { crashedAt, steps, ran } = ordeal;
  const seen = {
    crash: `${kills.join(' and ')}, ${crashedAt ?? 'never'}, step ${steps.length}`,
    task,
    next,
    twice: ran.filter((line, index) => line === 'twice' || ran.indexOf(line) !== index),
  };
  // An engine that is gone gives its places back, and a task that is canceled then has had no attempt.
  const isWithdrawn =
    state === 'canceled' && task?.attempt === 0 && !ran.some((line) => line.startsWith(`${task.id}/`));
  const ended = { state, attempt: isWithdrawn ? 0 : attempts };
  const canFail = kills.includes('engine') && task?.state === 'failed';
  expect(seen).toMatchObject({
    next: 'succeeded',
    // A client that got no answer knows that it has to look, or to submit again.
    ...(task === undefined ? {} : { task: canFail ? { failure: { class: 'engine' } } : ended }),
    twice: [],
  });
  if (task?.state === 'succeeded') {
    expect(ran).toContain(`${task.id}/${attempts}/0`);
  }
}

/**
 * What the page asks of the runner. The token is sent in a header and kept for this tab only: no cookie, and nothing in an address.
 */
import { type RunnerHistory, type RunnerView } from '../../runner-view';

export class SignedOut extends Error {}

/** What the runner refused, as it says it. */
export class Refused extends Error {}

export interface PlanOfTask {
  readonly starts?: readonly { readonly devices: readonly string[]; readonly cpus: readonly number[] }[];
  readonly waits?: string;
  readonly wouldHelp: readonly string[];
  readonly stops: readonly string[];
  readonly startAt?: string;
}

export class Service {
  constructor(private readonly token: string) {}

  history(minutes: number): Promise<RunnerHistory> {
    return this.json(`v1/history?minutes=${minutes}`);
  }

  plan(id: string): Promise<PlanOfTask> {
    return this.json(`v1/tasks/${encodeURIComponent(id)}/plan`);
  }

  planned(task: unknown): Promise<PlanOfTask> {
    return this.json('v1/plan', task);
  }

  submit(task: unknown): Promise<readonly { readonly id: string }[]> {
    return this.json('v1/tasks', task);
  }

  async cancel(id: string): Promise<void> {
    await this.json(`v1/tasks/${encodeURIComponent(id)}/cancel`, {});
  }

  async drain(device: string, drained: boolean): Promise<void> {
    await this.json(`v1/devices/${encodeURIComponent(device)}/${drained ? 'drain' : 'resume'}`, {});
  }

  /** The output of a container in the frames of the engine. */
  async logs(
    id: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.ask(`v1/tasks/${encodeURIComponent(id)}/logs?${new URLSearchParams(query)}`, {
      signal,
    });
    return body!;
  }

  /** Calls back with each view until the connection ends. */
  async follow(signal: AbortSignal, take: (view: RunnerView) => void): Promise<void> {
    const { body } = await this.ask('v1/view?follow=1', { signal });
    const decoder = new TextDecoder();
    const reader = body!.getReader();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + decoder.decode(read.value, { stream: true })).split('\n');
      rest = lines.pop()!;
      const last = lines.filter((line) => line !== '').at(-1);
      if (last !== undefined) {
        take(JSON.parse(last) as RunnerView);
      }
    }
  }

  private async json<T>(address: string, body?: unknown): Promise<T> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await this.ask(address, init)).json() as Promise<T>;
  }

  /** @throws SignedOut, Refused; TypeError if the runner does not answer */
  private async ask(address: string, init: RequestInit): Promise<Response> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      ...(init.body === undefined ? {} : { 'Content-Type': 'application/json' }),
    };
    const response = await fetch(address, {
      ...init,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
    if (response.status === 401) {
      throw new SignedOut('The token is not valid.');
    }
    if (!response.ok) {
      const text = await response.text();
      throw new Refused(problemOf(text) ?? `The runner answers with status ${response.status}.`);
    }
    return response;
  }
}

function problemOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}

/** What went wrong, for people. */
export function problemText(error: unknown): string {
  return error instanceof Refused || error instanceof SignedOut ? error.message : 'The runner does not answer.';
}

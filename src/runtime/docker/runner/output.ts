/**
 * The output of containers that ended: kept as files in the frames of the engine, so that a reader needs one format.
 */
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export class OutputFolder {
  constructor(private readonly folder: string) {}

  /** Keeps what the stream brings, whole or not at all. */
  async keep(task: string, attempt: number, member: number, stream: Readable): Promise<void> {
    const path = this.path(task, attempt, member);
    mkdirSync(join(this.folder, task), { recursive: true, mode: 0o700 });
    await pipeline(stream, createWriteStream(`${path}.partial`, { mode: 0o600 }));
    renameSync(`${path}.partial`, path);
  }

  /** `undefined` if nothing is kept. */
  open(task: string, attempt: number, member: number): Readable | undefined {
    const path = this.path(task, attempt, member);
    return existsSync(path) ? createReadStream(path) : undefined;
  }

  remove(task: string): void {
    rmSync(join(this.folder, task), { recursive: true, force: true });
  }

  private path(task: string, attempt: number, member: number): string {
    return join(this.folder, task, `${attempt}-${member}.frames`);
  }
}

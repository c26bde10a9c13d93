/**
 * Who may ask over the network: a file with one token for each caller, in lines of `NAME TOKEN`. The name is a tenant's, or `admin` for administrators.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { RunnerError } from '../runner-error';
import { type Caller } from './caller';

const ADMINISTRATOR = 'admin';
const SHORTEST = 20;

export class Tokens {
  private constructor(private readonly entries: readonly { readonly digest: Buffer; readonly caller: Caller }[]) {}

  /** @throws RunnerError if the file cannot be read, others may read it, or a line is not valid */
  static read(path: string, tenants: readonly string[]): Tokens {
    const invalid = (problem: string, fix?: string): RunnerError =>
      new RunnerError(`${path}: ${problem}`, fix, 'invalid');
    let text: string;
    try {
      if ((statSync(path).mode & 0o077) !== 0) {
        throw invalid('other users can read it', `Run: chmod 600 ${path}`);
      }
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw error instanceof RunnerError ? error : invalid((error as Error).message);
    }
    const entries = text.split('\n').flatMap((line, index) => {
      const [name = '', token = '', ...rest] = line.trim().split(/\s+/);
      if (name === '' || name.startsWith('#')) {
        return [];
      }
      if (rest.length > 0 || token.length < SHORTEST) {
        const fix = 'Create a token with: openssl rand -hex 32';
        throw invalid(`line ${index + 1}: must be a name and a token of at least ${SHORTEST} characters`, fix);
      }
      if (name !== ADMINISTRATOR && !tenants.includes(name)) {
        throw invalid(`line ${index + 1}: ${JSON.stringify(name)} is neither a tenant nor "${ADMINISTRATOR}"`);
      }
      return [{ digest: digestOf(token), caller: name === ADMINISTRATOR ? {} : { tenant: name } }];
    });
    return new Tokens(entries);
  }

  /** The caller of an `Authorization` header. `undefined` if it has no valid token. */
  caller(authorization: string | undefined): Caller | undefined {
    const token = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
    const digest = digestOf(token ?? '');
    return token === undefined
      ? undefined
      : this.entries.find((entry) => timingSafeEqual(entry.digest, digest))?.caller;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

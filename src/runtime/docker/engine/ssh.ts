/**
 * Connections to an engine on another host through the system's `ssh`, as the Docker command line makes them: each is a process
 * `ssh HOST docker system dial-stdio`, whose input and output are the connection. Keys, known hosts, and jump hosts are those of the SSH configuration.
 *
 * Source: docker/cli, cli/connhelper.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Agent, type AgentOptions } from 'node:http';
import { Duplex } from 'node:stream';
import { type SshAddress } from './address';

/** Arguments of `ssh`. Nothing may be asked on a terminal: a runner has none. */
export function sshArguments({ host, user, port, socketPath }: SshAddress): readonly string[] {
  return [
    ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=30'],
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    // Whatever follows is not an option, whatever its first letter is.
    ...['--', host, 'docker'],
    ...(socketPath === undefined ? [] : ['--host', `unix://${socketPath}`]),
    ...['system', 'dial-stdio'],
  ];
}

export class SshAgent extends Agent {
  constructor(
    private readonly address: SshAddress,
    options: AgentOptions,
    private readonly program = 'ssh',
  ) {
    super(options);
  }

  override createConnection(): Duplex {
    return new SshConnection(spawn(this.program, sshArguments(this.address)));
  }
}

const MOST_WORDS = 4096;

class SshConnection extends Duplex {
  private words = '';

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    super();
    child.stdout.on('data', (chunk) => this.push(chunk) || child.stdout.pause());
    child.stderr.on('data', (chunk) => (this.words = (this.words + String(chunk)).slice(-MOST_WORDS)));
    // The process says why it ended.
    child.stdin.on('error', () => undefined);
    child.on('error', (error) => this.destroy(new Error(`ssh: ${error.message}`)));
    // Its output ends before it says how it ended.
    child.on('close', (code) => {
      if (code === 0) {
        this.push(null);
      } else {
        const line = this.words.trim().split('\n').at(-1) ?? '';
        this.destroy(new Error(`ssh: ${line === '' ? `exited with code ${code}` : line.trim()}`));
      }
    });
  }

  override _read(): void {
    this.child.stdout.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.child.stdin.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.child.stdin.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.child.kill();
    done(error);
  }

  /** An agent calls these of a socket: a connection that waits for its next request does not keep the process. */
  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    this.child.ref();
    return this;
  }

  unref(): this {
    this.child.unref();
    return this;
  }
}

/**
 * Which engine the runner talks to, and how: found as the Docker command line finds it.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addressText, engineAddress } from '../../../src/runtime/docker/engine/address';
import { Engine } from '../../../src/runtime/docker/engine/engine';
import { SshAgent, sshArguments } from '../../../src/runtime/docker/engine/ssh';

let folder: string;

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'gantry-address-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** A context of the Docker command line in the folder. */
function context(name: string, docker: unknown, files: Readonly<Record<string, string>> = {}): void {
  const id = createHash('sha256').update(name).digest('hex');
  write(`contexts/meta/${id}/meta.json`, JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker } }));
  Object.entries(files).forEach(([file, text]) => write(`contexts/tls/${id}/docker/${file}`, text));
}

test.each([
  [undefined, 'unix:///var/run/docker.sock'],
  ['unix:///run/user/1000/docker.sock', 'unix:///run/user/1000/docker.sock'],
  ['tcp://[::1]:2375', 'tcp://[::1]:2375'],
  ['tcp://gpu-box', 'tcp://gpu-box:2375'],
  ['ssh://gpu-box', 'ssh://gpu-box'],
  ['ssh://lab@[fe80::1]:2222/run/docker.sock', 'ssh://lab@[fe80::1]:2222/run/docker.sock'],
])('the address %s is %s', (DOCKER_HOST, expected) => {
  expect(addressText(engineAddress(undefined, { DOCKER_HOST, DOCKER_CONFIG: folder }))).toBe(expected);
});

test.each([
  'npipe:////./pipe/docker',
  'ssh://-oProxyCommand=x',
  'ssh://-l@host',
  'ssh://a:secret@host',
  'ssh://host name',
  'unix://',
])('the address %s is refused', (host) => {
  expect(() => engineAddress(host, {})).toThrow(
    /must be unix:\/\/\/path\/to\/docker\.sock, tcp:\/\/host:port, or ssh:\/\/user@host/,
  );
});

test('an address comes before DOCKER_HOST, this before DOCKER_CONTEXT, and this before the current context', () => {
  write('config.json', '{"currentContext": "current", "auths": {}}');
  context('current', { Host: 'tcp://current:1' });
  context('named', { Host: 'tcp://named:1' });
  const env = { DOCKER_CONFIG: folder };
  const text = (host: string | undefined, more: Record<string, string>): string =>
    addressText(engineAddress(host, { ...env, ...more }));
  const named = { DOCKER_CONTEXT: 'named' };
  expect(text('tcp://stated:1', { ...named, DOCKER_HOST: 'tcp://env:1' })).toBe('tcp://stated:1');
  expect(text(undefined, { ...named, DOCKER_HOST: 'tcp://env:1' })).toBe('tcp://env:1');
  expect(text(undefined, { ...named, DOCKER_HOST: '' })).toBe('tcp://named:1');
  expect(text(undefined, {})).toBe('tcp://current:1');
  expect(text(undefined, { DOCKER_CONTEXT: 'default' })).toBe('unix:///var/run/docker.sock');
});

test('a context brings its own certificates, and may leave those of the engine unverified', () => {
  context('tls', { Host: 'tcp://box', SkipTLSVerify: true }, { 'ca.pem': 'a', 'cert.pem': 'c', 'key.pem': 'k' });
  expect(engineAddress(undefined, { DOCKER_CONFIG: folder, DOCKER_CONTEXT: 'tls' })).toEqual({
    kind: 'tcp',
    host: 'box',
    port: 2376,
    tls: { ca: Buffer.from('a'), cert: Buffer.from('c'), key: Buffer.from('k'), rejectUnauthorized: false },
  });
});

test('DOCKER_TLS_VERIFY takes certificates of DOCKER_CERT_PATH, or of the folder of the Docker command line', () => {
  ['ca.pem', 'cert.pem', 'key.pem'].forEach((file) => write(`certs/${file}`, file));
  write('ca.pem', 'own');
  const env = { DOCKER_HOST: 'tcp://box', DOCKER_TLS_VERIFY: '1', DOCKER_CONFIG: folder };
  const of = (file: string): Buffer => Buffer.from(file);
  expect(engineAddress(undefined, { ...env, DOCKER_CERT_PATH: join(folder, 'certs') })).toMatchObject({
    port: 2376,
    tls: { ca: of('ca.pem'), cert: of('cert.pem'), key: of('key.pem') },
  });
  expect(engineAddress(undefined, env)).toMatchObject({ tls: { ca: of('own') } });
  expect(() => engineAddress(undefined, { ...env, DOCKER_CERT_PATH: join(folder, 'none') })).toThrow(
    /DOCKER_CERT_PATH: .*no such file/,
  );
});

test('a context that is not there, or is damaged, is one line', () => {
  const env = { DOCKER_CONFIG: folder };
  expect(() => engineAddress(undefined, { ...env, DOCKER_CONTEXT: 'lab' })).toThrow('Docker context "lab": not found');
  context('lab', {});
  expect(() => engineAddress(undefined, { ...env, DOCKER_CONTEXT: 'lab' })).toThrow(
    /meta\.json: Endpoints\.docker\.Host: required/,
  );
  write('config.json', '{');
  expect(() => engineAddress(undefined, env)).toThrow(/config\.json: must be a JSON object/);
});

test('what ssh is asked', () => {
  const [address] = [engineAddress('ssh://lab@gpu-box:2222/run/docker.sock', {})];
  expect(address.kind === 'ssh' && sshArguments(address).join(' ')).toBe(
    '-T -o BatchMode=yes -o ConnectTimeout=30 -l lab -p 2222 -- gpu-box docker --host unix:///run/docker.sock system dial-stdio',
  );
});

describe('through ssh', () => {
  let server: Server;
  let sockets: number;
  let agent: SshAgent;

  /** A program in place of ssh. */
  function program(script: string): string {
    const path = join(folder, 'ssh');
    writeFileSync(path, `#!${process.execPath}\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  beforeEach(async () => {
    sockets = 0;
    server = createServer((request, response) => {
      response.write('x'.repeat(300_000));
      response.end(request.url);
    });
    server.on('connection', () => sockets++);
    await new Promise<void>((resolve) => server.listen(join(folder, 'docker.sock'), resolve));
  });

  afterEach(() => {
    agent.destroy();
    server.close();
  });

  const ask = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ path, agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve(text)).on('error', reject);
      }).on('error', reject);
    });

  test('requests go through the process one after the other, and connections are kept', async () => {
    const dial = `const s = require('node:net').connect(${JSON.stringify(join(folder, 'docker.sock'))}); process.stdin.pipe(s).pipe(process.stdout)`;
    agent = new SshAgent({ kind: 'ssh', host: 'box' }, { keepAlive: true }, program(dial));
    for (const path of ['/1', '/2', '/3']) {
      const text = await ask(path);
      expect([text.length, text.slice(-2)]).toEqual([300_002, path]);
    }
    expect(sockets).toBe(1);
  });

  test('what ssh says is the reason', async () => {
    agent = new SshAgent(
      { kind: 'ssh', host: 'box' },
      {},
      program('console.error("x\\nlab@box: Permission denied (publickey)."); process.exit(255)'),
    );
    await expect(ask('/1')).rejects.toThrow('ssh: lab@box: Permission denied (publickey).');
    agent = new SshAgent({ kind: 'ssh', host: 'box' }, {}, join(folder, 'none'));
    await expect(ask('/1')).rejects.toThrow(/ssh: spawn .* ENOENT/);
  });
});

test('an engine that does not answer is named', async () => {
  const engine = new Engine(engineAddress(`unix://${folder}/none.sock`, {}));
  await expect(engine.info()).rejects.toThrow(
    `unix://${folder}/none.sock: no such socket; is the Docker engine running?`,
  );
  engine.close();
});

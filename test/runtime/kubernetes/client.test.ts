import { type FakeServer, fakeServer, type Handler } from './fake-server';

describe('a watch', () => {
  let server: FakeServer;
  let handler: Handler;
  beforeEach(async () => {
    server = await fakeServer((asked, response) => handler(asked, response));
  });
  afterEach(() => server.close());

  it('that is refused ends within the timeout, although the refusal does not', async () => {
    handler = (_, response) => {
      response.writeHead(503);
      response.write('{"kind":"Status",');
    };
    await expect(server.client.stream('/things', { timeout: 50 })).rejects.toMatchObject({ status: 0 });
  });

  it('that is open goes on after the timeout', async () => {
    handler = (_, response) => {
      response.writeHead(200);
      response.write('first\n');
      setTimeout(() => response.end('last\n'), 700);
    };
    const response = await server.client.stream('/things', { timeout: 500 });
    let text = '';
    for await (const part of response) {
      text += String(part);
    }
    expect(text).toBe('first\nlast\n');
  });
});

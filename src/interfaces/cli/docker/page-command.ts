/**
 * `gantry docker page`: the web page of the runner, for a user that may use its socket.
 */
import { LocalPage } from '../../../runtime/docker/service/local-page';
import { type Terminal, UsageError } from '../terminal';
import { clientOf, reported, type SocketFlags } from './connection';

export interface PageFlags extends SocketFlags {
  readonly port?: string;
}

export async function pageCommand(flags: PageFlags, terminal: Terminal): Promise<number> {
  return reported(async () => {
    const port = portOf(flags);
    const client = clientOf(flags, terminal);
    const { host } = await client.status();
    const page = new LocalPage(client, (link) => terminal.out(`Opened. For another tab: ${link}\n`));
    const ended = new Promise<void>((end) => ['SIGINT', 'SIGTERM'].forEach((name) => process.once(name, () => end())));
    await page.listen(port);
    terminal.out(`The page of ${host.name}, until Ctrl-C. The link is valid once:\n  ${page.link}\n`);
    await ended;
    await page.close();
    return 0;
  });
}

function portOf({ port = '0' }: PageFlags): number {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (!(number <= 65_535)) {
    throw new UsageError(`--port ${port}: must be a number from 0 to 65535`);
  }
  return number;
}

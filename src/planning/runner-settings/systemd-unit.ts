/**
 * The systemd unit of the runner, as text.
 */

/** Where systemd finds it. */
export const UNIT_PATH = '/etc/systemd/system/gantry-docker.service';

export interface UnitOptions {
  /** Absolute paths of Node.js and of the command line. */
  readonly node: string;
  readonly command: string;
  /** Absolute path of `runner.yaml`. @default - the runner begins without one */
  readonly config?: string;
}

/**
 * `Wants`, not `Requires`: the runner waits for an engine that restarts. The folder of the sockets stays when it stops, since administrators give the folders of
 * tenants to groups.
 */
export function systemdUnit({ node, command, config }: UnitOptions): string {
  const words = [node, command, 'docker', 'serve', ...(config === undefined ? [] : ['--config', config])];
  return `[Unit]
Description=Gantry runner of GPU tasks on Docker
Wants=docker.service network-online.target
After=docker.service network-online.target

[Service]
ExecStart=${words.map(systemdWord).join(' ')}
Restart=always
RestartSec=2
TimeoutStopSec=30
LimitNOFILE=65536
StateDirectory=gantry-docker
StateDirectoryMode=0700
RuntimeDirectory=gantry-docker
RuntimeDirectoryPreserve=yes

[Install]
WantedBy=multi-user.target
`;
}

/** systemd.service(5): specifiers begin with `%`, variables with `$`. */
function systemdWord(word: string): string {
  const text = word.replace(/%/g, '%%').replace(/\$/g, '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

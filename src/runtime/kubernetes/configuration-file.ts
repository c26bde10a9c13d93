/**
 * Follows the configuration file without a restart. It is read again from time to time and not watched, since a mounted ConfigMap is
 * replaced by links that file watchers lose sight of. A file with faults changes nothing: what held before still holds.
 */
import { readFile } from 'node:fs/promises';
import {
  type Configuration,
  DEFAULT_CONFIGURATION,
  readConfiguration,
} from '../../planning/scheduler-settings/configuration';
import { messageOf } from '../api/api-error';
import { pause } from '../api/backoff';

export interface ConfigurationFileOptions {
  /** @default - there is no file, and the defaults hold */
  readonly path: string | undefined;
  readonly onChange: (configuration: Configuration) => void;
  readonly onFault: (message: string) => void;
}

const PERIOD = 2000;

export class ConfigurationFile {
  private text = '';
  private readonly ended = new AbortController();
  current: Configuration = DEFAULT_CONFIGURATION;

  constructor(private readonly options: ConfigurationFileOptions) {}

  /**
   * The first reading, which has to succeed.
   * @throws ConfigurationError, or that of a file that cannot be read
   */
  async open(): Promise<void> {
    const { path } = this.options;
    if (path !== undefined) {
      this.text = await readFile(path, 'utf8');
      this.current = readConfiguration(this.text, path);
    }
  }

  /** Runs until `stop`. */
  async run(): Promise<void> {
    const { path, onChange, onFault } = this.options;
    while (path !== undefined && !this.ended.signal.aborted) {
      await pause(PERIOD, this.ended.signal);
      try {
        const text = await readFile(path, 'utf8');
        if (text !== this.text) {
          this.text = text;
          this.current = readConfiguration(text, path);
          onChange(this.current);
        }
      } catch (error) {
        onFault(messageOf(error));
      }
    }
  }

  stop(): void {
    this.ended.abort();
  }
}

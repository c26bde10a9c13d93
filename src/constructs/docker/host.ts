/**
 * Host: the files of a Docker host on which `gantry docker` runs.
 */
import { join } from 'node:path';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { type ConfigMap } from '../../facts/api/types/core/v1';
import { type JsonObject } from '../../facts/api/schema';
import { embedded } from '../../manifests/values/deferred';
import { systemdUnit, UNIT_PATH } from '../../planning/runner-settings/systemd-unit';
import { DockerDaemon, type DockerDaemonProps } from '../node-tuning/docker-daemon';
import { type NodeDocument, NODE_FILES_FOLDER, writeBelow } from '../node-tuning/node-document';
import { NodeDocuments } from '../node-tuning/node-documents';
import { type NamespacedObjectProps } from '../resources/object-props';
import { publicClass } from '../resources/public-class';
import { merged } from '../resources/merge';
import { type Resource } from '../resources/resource';
import { cdiDocuments } from './cdi-documents';
import { checkRunnerValue, type RunnerSettings, runnerValue } from './runner-settings';

const CONFIGURATION_PATH = '/etc/gantry-docker/runner.yaml';

/** The programs that the systemd unit starts. */
export interface RunnerProgram {
  /** Path of Node.js on the host. @default /usr/bin/node */
  readonly node?: string;
  /** Path of `gantry` on the host. @default /usr/bin/gantry, where `npm install -g` puts it for Node.js in /usr/bin */
  readonly gantry?: string;
}

/** Props of a Host. */
export interface HostProps extends NamespacedObjectProps {
  /** Settings of the runner. @default - those of the runner itself */
  readonly runner?: RunnerSettings;
  /** Settings of the Docker daemon; `false` writes no `daemon.json`. @default - those of `nodeTuning.DockerDaemon` */
  readonly daemon?: DockerDaemonProps | false;
  /** The programs that the systemd unit starts. @default - /usr/bin/node and /usr/bin/gantry */
  readonly program?: RunnerProgram;
  /** Fields of `runner.yaml` without a property, merged in at the end. Mistakes in them are reported by the checks. @default - none */
  readonly overrides?: JsonObject;
}

/**
 * The files of a Docker host on which `gantry docker` runs: `runner.yaml`, `daemon.json`, the systemd unit of the runner, and CDI
 * specifications of devices that state what a container gets. `write` puts them into a folder. A ConfigMap carries them through the checks, and to a
 * cluster whose jobs install hosts.
 *
 * Rules: `docker/runner-settings-valid`, `docker/cdi-specification-valid`, `node-tuning/docker-*`, `node-tuning/unit-*`.
 *
 * @example
 * const host = new docker.Host(chart, 'dgx-1', {
 *   runner: { tenants: { alice: { weight: 2 }, bob: { limit: { accelerators: Accelerator.nvidia({ count: 4 }) } } } },
 * });
 * host.write(app.outdir);
 */
@publicClass('docker.Host')
export class Host extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap, and of the folder of the host's files. */
  readonly name: string;
  /** The ConfigMap object with the files. */
  readonly resource: Resource<ConfigMap>;
  /** The files, in the order in which a new host needs them. */
  readonly documents: readonly NodeDocument[];

  /** @throws if the runner would refuse the settings, with every mistake */
  constructor(scope: Construct, id: string, props: HostProps = {}) {
    super(scope, id);
    const { runner = {}, daemon = {}, program = {}, overrides, ...metadata } = props;
    const settings = runnerValue(runner);
    checkRunnerValue(settings, CONFIGURATION_PATH);
    this.documents = [
      ...(daemon === false ? [] : [new DockerDaemon(daemon)]),
      ...cdiDocuments(runner.devices ?? []),
      configurationDocument(merged(settings, overrides)),
      unitDocument(program),
    ];
    this.name = props.name ?? id;
    const files = new NodeDocuments(this, 'Files', { ...metadata, name: this.name, documents: this.documents });
    this.resource = files.resource;
  }

  /**
   * Writes the files below `node-files/NAME/` of a folder, each at its path on the host, with the steps of each in `ROLL-OUT.txt`.
   *
   * @param folder `app.outdir`, as a rule
   * @returns the files, in the order of the documents
   */
  write(folder: string): readonly string[] {
    return writeBelow(join(folder, NODE_FILES_FOLDER, this.name), this.documents, '');
  }
}

function configurationDocument(value: JsonObject): NodeDocument {
  return {
    path: CONFIGURATION_PATH,
    rollOut: ['copy the file', 'systemctl restart gantry-docker; containers continue to run'],
    toText: () => embedded(value, (plain) => stringify(plain, { lineWidth: 0 })),
  };
}

function unitDocument({ node = '/usr/bin/node', gantry = '/usr/bin/gantry' }: RunnerProgram): NodeDocument {
  return {
    path: UNIT_PATH,
    rollOut: [
      'npm install -g cdk8s-gantry libsql',
      'copy the file',
      'systemctl daemon-reload',
      'systemctl enable --now gantry-docker',
    ],
    toText: () => systemdUnit({ node, command: gantry, config: CONFIGURATION_PATH }),
  };
}

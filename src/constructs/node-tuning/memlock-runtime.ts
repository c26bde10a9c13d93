/**
 * MemlockRuntime: a RuntimeClass whose containers may lock memory, which RDMA needs and no field of a pod can say.
 *
 * containerd gives containers its own limit (8 MiB under systemd), and the capability IPC_LOCK helps only processes of root. A runtime
 * with its own base specification keeps the limits of that specification.
 */
import { Construct } from 'constructs';
import { RuntimeClass } from '../../facts/api/types/node.k8s.io/v1';
import { type NodeSelection } from '../pods/node-selection';
import { PodTemplate } from '../pods/pod-template';
import { clusterMetadata, type ClusterObjectProps, type Overridable } from '../resources/object-props';
import { type ByteSize, bytesOf } from '../resources/quantities';
import { Resource } from '../resources/resource';
import { ContainerdConfiguration, type ContainerdRuntime } from './containerd-configuration';
import { drained, type NodeDocument } from './node-document';
import { publicClass } from '../resources/public-class';

/** Props of a MemlockRuntime. */
export interface MemlockRuntimeProps extends ClusterObjectProps, Overridable<RuntimeClass> {
  /** The name of the runtime in containerd. @default - the name of the RuntimeClass */
  readonly handler?: string;
  /** Memory that a process may lock. @default - not limited */
  readonly memlockLimit?: ByteSize;
  /** Open files of a process; the specification that containerd prints says 1024. @default 1048576 */
  readonly openFiles?: number;
  /** Nodes that have the runtime; their taints are tolerated. @default - all nodes must have it */
  readonly nodeSelection?: NodeSelection;
}

/** RLIM_INFINITY, which is more than a number of JavaScript holds. */
const UNLIMITED = '18446744073709551615';

/**
 * Source: containerd, internal/cri/server (containers with a base specification keep its limits), pkg/oci/spec.go.
 *
 * @example
 * const rdma = new nodeTuning.MemlockRuntime(chart, 'rdma');
 * new PodTemplate({ image, runtimeClass: rdma });
 */
@publicClass('nodeTuning.MemlockRuntime')
export class MemlockRuntime extends Construct {
  /** The RuntimeClass object. */
  readonly resource: Resource<RuntimeClass>;
  /** Always `RuntimeClass`, the kind that references carry. */
  readonly kind = 'RuntimeClass';
  /** Name of the RuntimeClass. */
  readonly name: string;
  private readonly handler: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: MemlockRuntimeProps = {},
  ) {
    super(scope, id);
    this.name = props.name ?? id;
    this.handler = props.handler ?? this.name;
    const spec =
      props.nodeSelection === undefined
        ? undefined
        : new PodTemplate({ image: 'none', nodeSelection: props.nodeSelection }).toPodTemplate().spec;
    const scheduling =
      spec === undefined
        ? undefined
        : {
            ...(spec.nodeSelector === undefined ? {} : { nodeSelector: spec.nodeSelector }),
            ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
          };
    this.resource = new Resource(
      this,
      'Resource',
      RuntimeClass,
      {
        metadata: clusterMetadata(this.name, props),
        handler: this.handler,
        ...(scheduling === undefined ? {} : { scheduling }),
      },
      props.overrides,
    );
  }

  /** The runtime, for a `ContainerdConfiguration` that has others too. */
  get containerdRuntime(): ContainerdRuntime {
    return { baseRuntimeSpec: this.specPath };
  }

  /** The files of the nodes: containerd's drop-in, and the program that makes the specification while the image is built. */
  get documents(): readonly NodeDocument[] {
    return [
      new ContainerdConfiguration({
        path: `/etc/containerd/conf.d/50-${this.handler}.toml`,
        runtimes: { [this.handler]: this.containerdRuntime },
      }),
      this.specBuilder,
    ];
  }

  private get specPath(): string {
    return `/etc/containerd/${this.handler}-base-spec.json`;
  }

  /** The specification must be the one of the node's containerd, so it is made there, and not here. */
  private get specBuilder(): NodeDocument {
    const { memlockLimit, openFiles = 1_048_576 } = this.props;
    const limits = [
      ['RLIMIT_MEMLOCK', memlockLimit === undefined ? UNLIMITED : String(bytesOf('memlockLimit', memlockLimit))],
      ['RLIMIT_NOFILE', `${openFiles}`],
    ];
    const list = limits.map(([type, limit]) => `{"type": "${type}", "hard": ${limit}, "soft": ${limit}}`).join(', ');
    const text = [
      '#!/bin/sh',
      "# Writes the specification that containers of this runtime begin with: containerd's own, with other limits.",
      'set -eu',
      `ctr oci spec | python3 -c 'import json, sys; spec = json.load(sys.stdin); spec["process"]["rlimits"] = [${list}]; json.dump(spec, sys.stdout, indent=2)' >${this.specPath}.new`,
      `mv ${this.specPath}.new ${this.specPath}`,
      '',
    ].join('\n');
    const path = `/usr/local/sbin/${this.handler}-base-spec.sh`;
    return {
      path,
      executable: true,
      rollOut: drained(`run ${path} (once, and again after an update of containerd)`, 'systemctl restart containerd'),
      toText: () => text,
    };
  }
}

/**
 * NodeDocuments: documents as a ConfigMap, for whatever brings files onto nodes (an image builder, a bootstrap job), checked like
 * everything else of the app. Nothing here writes them onto live nodes.
 */
import { Construct } from 'constructs';
import { ConfigMap } from '../../facts/api/types/core/v1';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { checkPaths, type NodeDocument, writeNodeDocuments } from './node-document';
import { publicClass } from '../resources/public-class';

/** Props of NodeDocuments. */
export interface NodeDocumentsProps extends NamespacedObjectProps, Overridable<ConfigMap> {
  /** The files. */
  readonly documents: readonly NodeDocument[];
}

/**
 * A ConfigMap with files of nodes. Keys are the paths with `_` for `/`: `etc_containerd_conf.d_50-gantry.toml`.
 *
 * Rules: `node-tuning/*` over files.
 *
 * @example
 * new nodeTuning.NodeDocuments(chart, 'files', { documents: [nodeTuning.SystemdDropIn.memlock()] });
 */
@publicClass('nodeTuning.NodeDocuments')
export class NodeDocuments extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  /** The files, in their order. */
  readonly documents: readonly NodeDocument[];

  /** @throws if two documents have one path */
  constructor(scope: Construct, id: string, props: NodeDocumentsProps) {
    super(scope, id);
    checkPaths(props.documents);
    this.documents = props.documents;
    this.name = props.name ?? id;
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(this.name, props),
        data: Object.fromEntries(props.documents.map((document) => [keyOf(document.path), document.toText()])),
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Writes the documents below `node-files/` of a folder, with the steps of each. */
  write(folder: string): readonly string[] {
    return writeNodeDocuments(folder, this.documents);
  }
}

function keyOf(path: string): string {
  return path.replace(/^\//, '').replaceAll('/', '_');
}

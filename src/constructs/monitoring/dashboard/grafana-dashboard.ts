/**
 * A dashboard of Grafana in a ConfigMap, where the sidecar of Grafana's chart finds it by a label.
 */
import { embedded } from '../../../manifests/values/deferred';
import { Lazy } from 'cdk8s';
import { Construct } from 'constructs';
import { type JsonObject } from '../../../facts/api/schema';
import { ConfigMap } from '../../../facts/api/types/core/v1';
import { dependOn } from '../../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps, type Overridable } from '../../resources/object-props';
import { Resource } from '../../resources/resource';
import { grafanaJson } from './grafana-json';
import { type DashboardModel, type PanelRow } from './panel';
import { publicClass } from '../../resources/public-class';

/** Props of a GrafanaDashboard. */
export interface GrafanaDashboardProps extends DashboardModel, NamespacedObjectProps, Overridable<ConfigMap> {
  /** Label by which the sidecar finds it. @default - grafana_dashboard: "1" */
  readonly sidecarLabel?: Readonly<Record<string, string>>;
  /** Folder of Grafana, by the sidecar's annotation `grafana_folder`. @default - the folder of the sidecar */
  readonly folder?: string;
}

/**
 * Rules: `monitoring/dashboard-*`.
 *
 * @example
 * new monitoring.GrafanaDashboard(chart, 'queues', { title: 'Queues', uid: 'queues', rows: [
 *   { title: 'Length', panels: [{ title: 'Pending', kind: 'timeseries', queries: [{ expr: 'sum(kueue_pending_workloads)' }] }] },
 * ] });
 */
@publicClass('monitoring.GrafanaDashboard')
export class GrafanaDashboard extends Construct {
  /** Always `ConfigMap`, the kind that references carry. */
  readonly kind = 'ConfigMap';
  /** Name of the ConfigMap. */
  readonly name: string;
  /** The ConfigMap object. */
  readonly resource: Resource<ConfigMap>;
  private readonly ownRows: PanelRow[];

  /** @throws if the uid cannot be one, or a panel is wider than the grid */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: GrafanaDashboardProps,
  ) {
    super(scope, id);
    this.name = props.name ?? id;
    this.ownRows = [...props.rows];
    grafanaJson(props);
    const { labels, annotations, folder, sidecarLabel = { grafana_dashboard: '1' } } = props;
    this.resource = new Resource(
      this,
      'Resource',
      ConfigMap,
      {
        metadata: namespacedMetadata(id, {
          ...props,
          labels: { ...sidecarLabel, ...labels },
          annotations: { ...(folder === undefined ? {} : { grafana_folder: folder }), ...annotations },
        }),
        data: {
          [`${props.uid}.json`]: Lazy.any({
            produce: () => embedded(this.json, (json) => `${JSON.stringify(json, null, 2)}\n`),
          }) as string,
        },
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }

  /** Adds a row of panels at the end. */
  addRow(row: PanelRow): this {
    this.ownRows.push(row);
    return this;
  }

  /** The rows of the dashboard, in their order. */
  get rows(): readonly PanelRow[] {
    return [...this.ownRows];
  }

  /** The dashboard as Grafana reads it. */
  get json(): JsonObject {
    return grafanaJson({ ...this.props, rows: this.ownRows });
  }
}

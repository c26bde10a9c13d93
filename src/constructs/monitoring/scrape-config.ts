/**
 * ScrapeConfig: targets that are not pods of the cluster, such as exporters of switches and of nodes outside it.
 */
import { type CarriedList, type CarriedMap, passed, passedList } from '../../manifests/values/deferred';
import { Construct } from 'constructs';
import {
  ScrapeConfig as ScrapeConfigKind,
  type ScrapeConfigSpec,
} from '../../facts/api/types/monitoring.coreos.com/v1alpha1';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { Resource } from '../resources/resource';
import { renderScrape, type ScrapeOptions } from './scrape-endpoint';
import { publicClass } from '../resources/public-class';

/** Props of a ScrapeConfig. */
export interface ScrapeConfigProps extends NamespacedObjectProps, ScrapeOptions {
  /** `host:port` of each target. @default - none; say in `overrides` how they are found */
  readonly targets?: CarriedList<string>;
  /** Labels that all targets get. @default - none */
  readonly targetLabels?: CarriedMap<string>;
  /** The label `job` of the metrics. @default - scrapeConfig/namespace/name */
  readonly jobName?: string;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<ScrapeConfigSpec>;
}

/**
 * Source: prometheus-operator v0.93, pkg/prometheus/resource_selector.go.
 *
 * @example
 * new monitoring.ScrapeConfig(chart, 'switches', { targets: ['leaf-1:9100'], targetLabels: { fabric: 'rail-0' }, labels: { release: 'prometheus' } });
 */
@publicClass('monitoring.ScrapeConfig')
export class ScrapeConfig extends Construct {
  /** Name of the ScrapeConfig. */
  readonly name: string;
  /** The ScrapeConfig object. */
  readonly resource: Resource<ScrapeConfigKind>;

  constructor(scope: Construct, id: string, props: ScrapeConfigProps) {
    super(scope, id);
    this.name = props.name ?? id;
    const { interval, path, ...scrape } = renderScrape(props);
    const { targets, targetLabels, jobName } = props;
    const spec: ScrapeConfigSpec = {
      ...(jobName === undefined ? {} : { jobName }),
      ...(targets === undefined
        ? {}
        : {
            staticConfigs: [
              {
                targets: passedList(targets),
                ...(targetLabels === undefined
                  ? {}
                  : { labels: passed(targetLabels) as Readonly<Record<string, string>> }),
              },
            ],
          }),
      ...(path === undefined ? {} : { metricsPath: path }),
      ...(interval === undefined ? {} : { scrapeInterval: interval }),
      ...scrape,
    };
    this.resource = new Resource(
      this,
      'Resource',
      ScrapeConfigKind,
      {
        metadata: namespacedMetadata(id, props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }
}

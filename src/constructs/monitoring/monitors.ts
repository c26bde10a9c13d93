/**
 * ServiceMonitor and PodMonitor: whom Prometheus scrapes, by the labels of Services or of pods.
 */
import { Construct } from 'constructs';
import {
  PodMonitor as PodMonitorKind,
  type PodMonitorSpec,
  ServiceMonitor as ServiceMonitorKind,
  type ServiceMonitorSpec,
} from '../../facts/api/types/monitoring.coreos.com/v1';
import { type OpenPartial } from '../resources/merge';
import { dependOn } from '../resources/depend-on';
import { namespacedMetadata, type NamespacedObjectProps } from '../resources/object-props';
import { type NamedReference, nameOf } from '../resources/references';
import { Resource } from '../resources/resource';
import { renderScrape, type ScrapeOptions } from './scrape-endpoint';
import { publicClass } from '../resources/public-class';

/** Props of ServiceMonitors and PodMonitors. */
interface MonitorProps extends NamespacedObjectProps, ScrapeOptions {
  /** Namespaces to look into. @default - the monitor's own */
  readonly namespaces?: readonly NamedReference<'Namespace'>[] | 'all';
  /** The label `job` of the metrics. @default - the name of the Service, or namespace and name of the PodMonitor */
  readonly jobLabel?: string;
}

/** Props of a ServiceMonitor. */
export interface ServiceMonitorProps extends MonitorProps {
  /** Labels of the Services (of the Services themselves, not of their pods). */
  readonly selector: Readonly<Record<string, string>>;
  /** Name of the Service's port; a number is a port of the pod. */
  readonly port: string | number;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<ServiceMonitorSpec>;
}

/** Props of a PodMonitor. */
export interface PodMonitorProps extends MonitorProps {
  /** Labels of the pods. */
  readonly selector: Readonly<Record<string, string>>;
  /** Name of the container's port, or its number. */
  readonly port: string | number;
  /** Whatever has no property of its own. @default - none */
  readonly overrides?: OpenPartial<PodMonitorSpec>;
}

/**
 * Rules: `monitoring/monitor-*`. Source: prometheus-operator v0.93, pkg/prometheus/resource_selector.go.
 *
 * @example
 * new monitoring.ServiceMonitor(chart, 'server', { selector: { app: 'server' }, port: 'metrics', labels: { release: 'prometheus' } });
 */
@publicClass('monitoring.ServiceMonitor')
export class ServiceMonitor extends Construct {
  /** Name of the ServiceMonitor. */
  readonly name: string;
  /** The ServiceMonitor object. */
  readonly resource: Resource<ServiceMonitorKind>;

  constructor(scope: Construct, id: string, props: ServiceMonitorProps) {
    super(scope, id);
    this.name = props.name ?? id;
    const port = typeof props.port === 'number' ? { targetPort: props.port } : { port: props.port };
    const spec: ServiceMonitorSpec = {
      ...selection(props),
      endpoints: [{ ...port, ...renderScrape(props) }],
    };
    this.resource = new Resource(
      this,
      'Resource',
      ServiceMonitorKind,
      {
        metadata: namespacedMetadata(id, props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }
}

/**
 * For pods without a Service.
 *
 * Rules: `monitoring/monitor-*`. Source: prometheus-operator v0.93, pkg/prometheus/resource_selector.go.
 *
 * @example
 * new monitoring.PodMonitor(chart, 'trainers', { selector: { role: 'trainer' }, port: 'metrics', namespaces: 'all' });
 */
@publicClass('monitoring.PodMonitor')
export class PodMonitor extends Construct {
  /** Name of the PodMonitor. */
  readonly name: string;
  /** The PodMonitor object. */
  readonly resource: Resource<PodMonitorKind>;

  constructor(scope: Construct, id: string, props: PodMonitorProps) {
    super(scope, id);
    this.name = props.name ?? id;
    const port = typeof props.port === 'number' ? { portNumber: props.port } : { port: props.port };
    const spec: PodMonitorSpec = {
      ...selection(props),
      podMetricsEndpoints: [{ ...port, ...renderScrape(props) }],
    };
    this.resource = new Resource(
      this,
      'Resource',
      PodMonitorKind,
      {
        metadata: namespacedMetadata(id, props),
        spec,
      },
      props.overrides,
    );
    dependOn(this.resource, props.namespace);
  }
}

function selection({
  selector,
  namespaces,
  jobLabel,
}: ServiceMonitorProps | PodMonitorProps): Pick<ServiceMonitorSpec, 'selector' | 'namespaceSelector' | 'jobLabel'> {
  return {
    selector: { matchLabels: { ...selector } },
    ...(namespaces === undefined
      ? {}
      : {
          namespaceSelector:
            namespaces === 'all'
              ? { any: true }
              : { matchNames: namespaces.map((namespace) => nameOf(namespace, 'Namespace')) },
        }),
    ...(jobLabel === undefined ? {} : { jobLabel }),
  };
}

/**
 * How Prometheus fetches metrics: where, how often, as whom, and what becomes of the labels.
 */
import { durationText } from '../resources/durations';
import type { Duration } from 'cdk8s';
import {
  type ServiceMonitorSpecEndpoint,
  type ServiceMonitorSpecEndpointMetricRelabeling,
} from '../../facts/api/types/monitoring.coreos.com/v1';
import { type NamedReference, nameOf } from '../resources/references';

/** One step that changes, keeps or drops targets (before the scrape) or series (after it). */
export type Relabeling = ServiceMonitorSpecEndpointMetricRelabeling;

interface SecretKey {
  readonly secret: NamedReference<'Secret'>;
  readonly key: string;
}

/** Who Prometheus says it is; one way at most. */
export type ScrapeAuthentication =
  | { readonly kind: 'bearer'; readonly token: SecretKey }
  | { readonly kind: 'basic'; readonly username: SecretKey; readonly password: SecretKey };

export const ScrapeAuthentication = {
  /** A token in a Secret, sent as `Authorization: Bearer …`. */
  bearer: (secret: NamedReference<'Secret'>, key = 'token'): ScrapeAuthentication => ({
    kind: 'bearer',
    token: { secret, key },
  }),
  /** A name and a password in one Secret. */
  basic: (
    secret: NamedReference<'Secret'>,
    keys: { readonly username?: string; readonly password?: string } = {},
  ): ScrapeAuthentication => ({
    kind: 'basic',
    username: { secret, key: keys.username ?? 'username' },
    password: { secret, key: keys.password ?? 'password' },
  }),
};

/** How Prometheus scrapes a target. */
export interface ScrapeOptions {
  /** Path of the metrics. @default /metrics */
  readonly path?: string;
  /** Time between scrapes. @default - the scrape interval of Prometheus, which is 30 s by default */
  readonly interval?: Duration;
  /** At most the interval. @default - Prometheus' own, 10 s, cut down to the interval */
  readonly timeout?: Duration;
  /** Protocol of the target. @default http */
  readonly scheme?: 'http' | 'https';
  /** Whether labels of the metrics win over those of the target. @default - no; the metric's get the prefix `exported_` */
  readonly honorLabels?: boolean;
  /** Credentials that the target requires. @default - none */
  readonly authentication?: ScrapeAuthentication;
  /** Steps on targets, before the scrape. @default - none */
  readonly relabelings?: readonly Relabeling[];
  /** Steps on series, after the scrape. @default - none */
  readonly metricRelabelings?: readonly Relabeling[];
}

/** A label that says on which node the scraped pod runs. */
export const NODE_RELABELING: Relabeling = { sourceLabels: ['__meta_kubernetes_pod_node_name'], targetLabel: 'node' };

type RenderedScrape = Pick<
  ServiceMonitorSpecEndpoint,
  | 'path'
  | 'interval'
  | 'scrapeTimeout'
  | 'scheme'
  | 'honorLabels'
  | 'authorization'
  | 'basicAuth'
  | 'relabelings'
  | 'metricRelabelings'
>;

/** What ServiceMonitors and PodMonitors have in common of an endpoint. */
export function renderScrape(options: ScrapeOptions): RenderedScrape {
  const { path, interval, timeout, scheme, honorLabels, authentication, relabelings, metricRelabelings } = options;
  return {
    ...(path === undefined ? {} : { path }),
    ...(interval === undefined ? {} : { interval: durationText('interval', interval, 'days') }),
    ...(timeout === undefined ? {} : { scrapeTimeout: durationText('timeout', timeout, 'days') }),
    ...(scheme === undefined ? {} : { scheme }),
    ...(honorLabels === undefined ? {} : { honorLabels }),
    ...(authentication === undefined ? {} : renderAuthentication(authentication)),
    ...(relabelings === undefined ? {} : { relabelings }),
    ...(metricRelabelings === undefined ? {} : { metricRelabelings }),
  };
}

function renderAuthentication(
  authentication: ScrapeAuthentication,
): Pick<ServiceMonitorSpecEndpoint, 'authorization' | 'basicAuth'> {
  const selector = ({ secret, key }: SecretKey): { readonly name: string; readonly key: string } => ({
    name: nameOf(secret),
    key,
  });
  if (authentication.kind === 'bearer') {
    return { authorization: { type: 'Bearer', credentials: selector(authentication.token) } };
  }
  return { basicAuth: { username: selector(authentication.username), password: selector(authentication.password) } };
}

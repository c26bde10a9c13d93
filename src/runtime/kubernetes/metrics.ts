/**
 * What the program counts, in Prometheus' form. Names begin with `gantry_`.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const LONG = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];

export class Metrics {
  readonly registry = new Registry();
  private readonly own = { registers: [this.registry] };

  readonly cycleSeconds = new Histogram({
    ...this.own,
    name: 'gantry_cycle_seconds',
    help: 'Time of one cycle by phase',
    labelNames: ['phase'],
    buckets: SHORT,
  });
  readonly cycleFailures = new Counter({
    ...this.own,
    name: 'gantry_cycle_failures_total',
    help: 'Cycles that failed as a whole',
  });
  readonly cycleFailuresInARow = new Gauge({
    ...this.own,
    name: 'gantry_cycle_failures_in_a_row',
    help: 'Cycles that failed as a whole since the last one that did not',
  });
  readonly sessionDivergences = new Counter({
    ...this.own,
    name: 'gantry_session_divergences_total',
    help: 'Sampled comparisons in which the incremental state differed from a rebuilt one',
  });
  readonly setAside = new Gauge({
    ...this.own,
    name: 'gantry_set_aside',
    help: 'Invalid objects that the scheduler ignores, by kind',
    labelNames: ['kind'],
  });
  readonly gangWaitSeconds = new Histogram({
    ...this.own,
    name: 'gantry_gang_wait_seconds',
    help: 'From the arrival of a gang to the last binding of its minimum',
    labelNames: ['queue'],
    buckets: LONG,
  });
  readonly podsBound = new Counter({
    ...this.own,
    name: 'gantry_pods_bound_total',
    help: 'Pods bound or handed over',
    labelNames: ['way'],
  });
  readonly bindingFailures = new Counter({
    ...this.own,
    name: 'gantry_binding_failures_total',
    help: 'Bindings and hand-overs that failed permanently',
    labelNames: ['way', 'reason'],
  });
  readonly claimsAllocated = new Counter({
    ...this.own,
    name: 'gantry_claims_allocated_total',
    help: 'ResourceClaims that got their devices and reservations',
  });
  readonly claimFailures = new Counter({
    ...this.own,
    name: 'gantry_claim_failures_total',
    help: 'Gangs whose devices were released, because one of their claims was not allocated',
  });
  readonly evictions = new Counter({
    ...this.own,
    name: 'gantry_evictions_total',
    help: 'Evictions by action and outcome',
    labelNames: ['action', 'outcome'],
  });
  readonly repartitions = new Counter({
    ...this.own,
    name: 'gantry_repartitions_total',
    help: 'Changes of the MIG configuration of a node, by outcome: of the request, and of the change itself',
    labelNames: ['outcome'],
  });
  readonly repartitioningNodes = new Gauge({
    ...this.own,
    name: 'gantry_repartitioning_nodes',
    help: 'Nodes whose MIG configuration changes for a gang',
  });
  readonly pending = new Gauge({
    ...this.own,
    name: 'gantry_pending_gangs',
    help: 'Pending gangs, by reason',
    labelNames: ['reason'],
  });
  readonly apiRequests = new Counter({
    ...this.own,
    name: 'gantry_api_requests_total',
    help: 'Requests to the API server',
    labelNames: ['method', 'status'],
  });
  readonly apiSeconds = new Histogram({
    ...this.own,
    name: 'gantry_api_request_seconds',
    help: 'Time of requests to the API server',
    labelNames: ['method'],
    buckets: SHORT,
  });
  readonly watchFailures = new Counter({
    ...this.own,
    name: 'gantry_watch_failures_total',
    help: 'Lists and watches that ended with an error',
    labelNames: ['collection'],
  });
  readonly queueShare = new Gauge({
    ...this.own,
    name: 'gantry_queue_allocated',
    help: 'Amount allocated to a queue, in units of the resource',
    labelNames: ['queue', 'resource'],
  });
  readonly queueDeserved = new Gauge({
    ...this.own,
    name: 'gantry_queue_deserved',
    help: 'Deserved amount of a queue, in units of the resource',
    labelNames: ['queue', 'resource'],
  });
  readonly queueFairShare = new Gauge({
    ...this.own,
    name: 'gantry_queue_fair_share',
    help: 'Fair share of a queue, in units of the resource',
    labelNames: ['queue', 'resource'],
  });
  readonly devices = new Gauge({
    ...this.own,
    name: 'gantry_devices',
    help: 'Accelerators by state: used, free on free nodes, free beside others, unavailable',
    labelNames: ['state'],
  });
  readonly leader = new Gauge({ ...this.own, name: 'gantry_leader', help: '1 while this replica decides' });
  readonly clockSkew = new Gauge({
    ...this.own,
    name: 'gantry_clock_skew_seconds',
    help: 'Seconds that this machine is ahead of the API server',
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** For the API client. */
  countRequest(method: string, status: number, seconds: number): void {
    this.apiRequests.inc({ method, status: String(status) });
    this.apiSeconds.observe({ method }, seconds);
  }
}

/**
 * What the program counts, as Prometheus reads it.
 */
import { Metrics } from '../../../src/runtime/kubernetes/metrics';

/** The samples of a metric: its labels and its value. */
async function samples(metrics: Metrics, name: string): Promise<readonly string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

test('requests are counted by method and status, and timed by method', async () => {
  const metrics = new Metrics();
  metrics.countRequest('GET', 200, 0.2);
  metrics.countRequest('GET', 404, 0.4);
  metrics.countRequest('POST', 201, 3);
  expect(await samples(metrics, 'gantry_api_requests_total')).toEqual([
    'gantry_api_requests_total{method="GET",status="200"} 1',
    'gantry_api_requests_total{method="GET",status="404"} 1',
    'gantry_api_requests_total{method="POST",status="201"} 1',
  ]);
  expect(await samples(metrics, 'gantry_api_request_seconds_count')).toEqual([
    'gantry_api_request_seconds_count{method="GET"} 2',
    'gantry_api_request_seconds_count{method="POST"} 1',
  ]);
});

test.each([
  ['gantry_cycle_seconds', '0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 +Inf'],
  ['gantry_gang_wait_seconds', '0.1 0.5 1 5 10 30 60 300 900 3600 14400 86400 +Inf'],
])('the buckets of %s', async (name, bounds) => {
  const metrics = new Metrics();
  metrics.cycleSeconds.observe({ phase: 'decide' }, 0.2);
  metrics.gangWaitSeconds.observe({ queue: 'q' }, 20);
  const buckets = (await samples(metrics, `${name}_bucket`)).map((line) => /le="([^"]+)"/.exec(line)?.[1]);
  expect(buckets.join(' ')).toBe(bounds);
});

/**
 * Parameters of KEDA's scalers that are times, although KEDA reads a number or a text of its own: how each is written, as the code of the
 * scaler reads it. Parameters that KEDA itself reads as a time (`time.Duration`) are not listed.
 *
 * Source: keda, pkg/scalers.
 */
import { type KedaScalerParameter, type KedaTime } from '../../src/facts/api/keda-scalers';

const TIMES: Readonly<Record<string, Readonly<Record<string, KedaTime>>>> = {
  'aws-cloudwatch': { metricCollectionTime: 'seconds', metricEndTimeOffset: 'seconds', metricStatPeriod: 'seconds' },
  'azure-app-insights': { metricAggregationTimespan: 'hh:mm' },
  'azure-monitor': { metricAggregationInterval: 'hh:mm:ss' },
  datadog: { age: 'seconds', timeWindowOffset: 'seconds' },
  dynatrace: { queryTimeoutSeconds: 'seconds' },
  etcd: { watchProgressNotifyInterval: 'seconds' },
  'gcp-cloudtasks': { filterDuration: 'minutes' },
  'gcp-stackdriver': { filterDuration: 'minutes', alignmentPeriodSeconds: 'seconds' },
  'huawei-cloudeye': { metricCollectionTime: 'seconds', metricPeriod: 'seconds' },
  'openstack-metric': { granularity: 'seconds', timeout: 'seconds' },
  'openstack-swift': { timeout: 'seconds' },
  predictkube: { historyTimeWindow: 'go', predictHorizon: 'go', queryStep: 'go' },
  solarwinds: { intervalS: 'seconds' },
  'splunk-observability': { duration: 'seconds' },
  temporal: { minConnectTimeout: 'seconds' },
};

/**
 * The parameters of a scaler, those that are times with how they are written, and without the unit in the name of the property.
 *
 * @throws Error where a time is not a parameter of the scaler
 */
export function withTimes(type: string, parameters: readonly KedaScalerParameter[]): KedaScalerParameter[] {
  const times = TIMES[type] ?? {};
  const unknown = Object.keys(times).find((name) => !parameters.some((parameter) => parameter.name === name));
  if (unknown !== undefined) {
    throw new Error(`KEDA scaler ${type} has no parameter ${unknown}`);
  }
  return parameters.map((parameter) => {
    const time = times[parameter.name];
    const property = parameter.name.replace(/(?<=[a-z])(?:Seconds|S)$/, '');
    return time === undefined
      ? parameter
      : { ...parameter, time, ...(property === parameter.name ? {} : { property }) };
  });
}

import { kedaScaler, kedaScalers } from '../../../src/facts/api/keda-scalers';

describe('the parameters of KEDA scalers', () => {
  test('cover every scaler, sorted', () => {
    const types = kedaScalers().map((scaler) => scaler.type);
    expect(types).toHaveLength(76);
    expect(types).toEqual([...types].sort());
    expect(types).toEqual(expect.arrayContaining(['prometheus', 'cron', 'kafka', 'external', 'external-push']));
  });

  test('say default, allowed values and where a value may come from', () => {
    const parameter = (type: string, name: string): unknown =>
      kedaScaler(type)!.parameters.find((candidate) => candidate.name === name);
    expect(parameter('apache-kafka', 'offsetResetPolicy')).toEqual({
      name: 'offsetResetPolicy',
      value: 'text',
      optional: false,
      default: 'latest',
      allowedValues: ['earliest', 'latest'],
      fromMetadata: true,
      fromEnv: false,
      fromAuthentication: false,
    });
    expect(parameter('apache-kafka', 'partitionLimitation')).toMatchObject({ rangeSeparator: '-' });
    expect(parameter('aws-cloudwatch', 'dimensionName')).toMatchObject({ separator: ';' });
    expect(parameter('apache-kafka', 'password')).toMatchObject({ fromMetadata: false, fromAuthentication: true });
  });

  test('mark what KEDA has removed or announced to remove, without its prose', () => {
    const marked = kedaScalers().flatMap((scaler) =>
      scaler.parameters.filter((parameter) => parameter.deprecated !== undefined),
    );
    expect(marked.length).toBeGreaterThanOrEqual(10);
    for (const parameter of marked) {
      expect(['removed', 'announced']).toContain(parameter.deprecated);
    }
  });

  test('say how KEDA reads each text, under which names, and what a shared structure adds', () => {
    const parameter = (type: string, name: string): unknown =>
      kedaScaler(type)!.parameters.find((candidate) => candidate.name === name);
    expect(parameter('prometheus', 'threshold')).toMatchObject({ value: 'number', optional: false });
    expect(parameter('kafka', 'lagThreshold')).toMatchObject({ value: 'integer', default: '10' });
    expect(parameter('sumologic', 'timerange')).toMatchObject({ value: 'duration' });
    expect(parameter('prometheus', 'authModes')).toMatchObject({
      value: 'texts',
      alternatives: ['authMode'],
      exclusiveValues: ['bearer', 'basic', 'oauth'],
      fromMetadata: true,
      fromAuthentication: true,
    });
    expect(parameter('redis', 'address')).toMatchObject({ alternatives: ['addresses'], optional: true });
  });

  test('know no scaler that KEDA does not have', () => {
    expect(kedaScaler('gpu')).toBeUndefined();
  });
});

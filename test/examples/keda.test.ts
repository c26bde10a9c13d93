/**
 * The example of scaled services: what a reader copies is free of findings, and says what the page promises.
 */
import { App } from 'cdk8s';
import { scaledServices } from '../../examples/keda/main';
import { asArray, asObject, asString } from '../../src/manifests/read';
import { Testing } from '../../src/interfaces/testing';

const manifests = Testing.synth(scaledServices(new App()));

function specOf(name: string): ReturnType<typeof asObject> {
  return asObject(manifests.find(({ metadata }) => asObject(metadata).name === name)?.spec);
}

function queriesOf(name: string): readonly (string | undefined)[] {
  return asArray(specOf(name).triggers).map((trigger) => asString(asObject(asObject(trigger).metadata).query));
}

test('has neither errors nor warnings', () => {
  const { findings } = Testing.check(scaledServices(new App()));
  expect(
    findings
      .filter(({ severity }) => severity !== 'info')
      .map(({ rule, object, message }) => `${rule} ${object}: ${message}`),
  ).toEqual([]);
});

test('is the same each time', () => {
  expect(JSON.stringify(Testing.synth(scaledServices(new App())))).toBe(JSON.stringify(manifests));
});

test('the chat may sleep, and wakes by the gateway', () => {
  expect(specOf('chat-by-queue')).toMatchObject({
    minReplicaCount: 0,
    cooldownPeriod: 840,
    scaleTargetRef: { name: 'chat' },
  });
  expect(queriesOf('chat-by-queue')).toEqual([
    'sum(vllm:num_requests_waiting{namespace="serving",model_name="llama"}) or vector(0)',
    'sum(rate(gateway_requests_total{route="chat"}[2m])) or vector(0)',
  ]);
});

test('targets and authentications come before what names them', () => {
  const order = manifests.map(
    ({ kind, metadata }) => `${asString(kind) ?? ''} ${asString(asObject(metadata).name) ?? ''}`,
  );
  const place = (name: string): number => order.indexOf(name);
  expect(place('Deployment chat')).toBeLessThan(place('ScaledObject chat-by-queue'));
  expect(place('TriggerAuthentication broker')).toBeLessThan(place('ScaledJob embeddings'));
});

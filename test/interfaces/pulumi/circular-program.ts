/**
 * A program of two stacks of which each waits for an object that waits for the other one. As a program of its own it runs with the built package.
 */
import * as pulumi from '@pulumi/pulumi';
import { Resource } from 'cdk8s-gantry';
import { ConfigMap, Namespace } from 'cdk8s-gantry/api/core/v1';
import { GantryStack } from 'cdk8s-gantry/pulumi';
import { mockedEngine } from './mocked-engine';

/** A namespace, and a ConfigMap in it that carries a value. */
export function stackOf(name: string, carried: pulumi.Output<string>): GantryStack {
  return new GantryStack(name, (chart) => {
    new Resource(chart, 'ns', Namespace, { metadata: { name } });
    new Resource(chart, 'uses', ConfigMap, { metadata: { name: 'uses', namespace: name }, data: { value: carried } });
  });
}

async function main(): Promise<void> {
  await mockedEngine();
  const [ofSecond, resolveSecond] = pulumi.deferredOutput<string>();
  const [ofFirst, resolveFirst] = pulumi.deferredOutput<string>();
  const first = stackOf('first', ofSecond);
  const second = stackOf('second', ofFirst);
  resolveSecond(second.get('second/uses').metadata.uid);
  resolveFirst(first.get('first/uses').metadata.uid);
}

if (require.main === module) {
  void main();
}

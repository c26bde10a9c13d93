/**
 * A program that a check fails, run beside the suite: Pulumi reports its end through handlers of the whole process, which are Jest's there.
 *
 * Arguments: the folder of the workspace, the port of the provider, `preview` or `up`. Prints what Pulumi says.
 */
import { ConfigMap } from '../../../src/facts/api/types/core/v1';
import { Resource } from '../../../src/constructs/resources/resource';
import { GantryStack } from '../../../src/interfaces/pulumi';
import { workspace } from './workspace';

async function main([folder = '', port = '', command = '']: readonly string[]): Promise<void> {
  const space = await workspace('failing', Number(port), folder);
  space.use(() => {
    new GantryStack('more', (chart) => {
      new Resource(chart, 'fine', ConfigMap, { metadata: { name: 'fine', namespace: 'default' } });
      new Resource(chart, 'bad', ConfigMap, { metadata: { name: 'Bad_Name', namespace: 'default' } });
    });
    return Promise.resolve();
  });
  try {
    await (command === 'up' ? space.stack.up() : space.stack.preview());
    process.stdout.write('no error');
  } catch (error) {
    process.stdout.write((error as Error).message);
  }
}

void main(process.argv.slice(2));

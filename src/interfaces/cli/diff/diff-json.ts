/**
 * A diff as JSON. The format is stable; docs/diff.md describes it.
 */
import { type Manifest, type ObjectId } from '../../../manifests/manifest';
import { type Diff } from './diff-report';

export function diffJson({ differences, ...rest }: Diff): string {
  const changes = differences.map(({ object, consequences }) => ({
    change: object.change,
    ...identity(object.change === 'removed' ? object.before : object.after),
    ...(object.change === 'changed' && object.renamed === true && { renamedFrom: object.before.id.name }),
    ...(object.change === 'changed' && { fields: object.fields }),
    consequences,
  }));
  return `${JSON.stringify({ changes, ...rest }, undefined, 2)}\n`;
}

function identity({ id }: Manifest): Omit<ObjectId, 'group'> {
  const { apiVersion, kind, namespace, name } = id;
  return { apiVersion, kind, namespace, name };
}

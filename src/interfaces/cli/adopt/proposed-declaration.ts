/**
 * What a proposal comes to as a declaration, with the metadata that every construct takes.
 */
import { findKind } from '../../../facts/api/kinds';
import { type Manifest } from '../../../manifests/manifest';
import { type Declaration } from './declaration';
import {
  at,
  Call,
  type Expression,
  type Fields,
  fieldsOf,
  isFields,
  namedReference,
  present,
  setOwn,
  without,
} from './expression';
import { type Proposal } from './proposal';

export interface Proposed {
  readonly declaration: Declaration;
  /** Whether its overrides are of the spec, or of the object itself; `undefined` where the construct has none. */
  readonly hasSpec: boolean | undefined;
}

export function declarationOf(
  manifest: Manifest,
  object: Fields,
  proposal: Proposal,
  { id, variable, calls }: Pick<Declaration, 'id' | 'variable' | 'calls'>,
): Proposed {
  const { metadata } = object;
  const { taken = [] } = proposal;
  // A namespace that has no effect is a JSON patch: the construct has no property for it.
  const isInCluster = findKind(manifest.id.apiVersion, manifest.id.kind)?.scope === 'Cluster';
  const others = without(fieldsOf(metadata), 'name', 'namespace', 'labels', 'annotations');
  const stated = {
    name: manifest.id.name === '' || manifest.id.name === id ? undefined : manifest.id.name,
    namespace: isInCluster ? undefined : namedReference(at(metadata, 'namespace')),
    labels: without(fieldsOf(at(metadata, 'labels')), ...taken),
    annotations: without(fieldsOf(at(metadata, 'annotations')), ...taken),
    metadata: proposal.hasMetadata === true ? others : undefined,
  };
  return {
    hasSpec: proposal.overrides === 'none' ? undefined : proposal.overrides === 'spec',
    declaration: {
      manifest,
      id,
      variable,
      name: manifest.id.name,
      className: proposal.className,
      form: 'construct',
      args: [cleaned({ ...stated, ...proposal.props })],
      calls,
      patches: [],
      covers: [],
    },
  };
}

/** Without members that say nothing, at any depth of literals. */
function cleaned(value: Expression): Expression {
  if (Array.isArray(value)) {
    return (value as readonly Expression[]).map(cleaned);
  }
  if (value instanceof Call) {
    return new Call(value.target, value.args.map(cleaned), value.isNew);
  }
  if (!isFields(value)) {
    return value;
  }
  const members = Object.entries(value).map(([name, member]): [string, Expression] => [name, cleaned(member)]);
  const result: Record<string, Expression> = {};
  members.forEach(([name, member]) => {
    setOwn(result, name, member);
  });
  return present(result) ?? {};
}

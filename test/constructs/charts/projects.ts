import { PROJECTS } from '../../../src/facts/catalog';

export function findProjectVersion(name: string): string {
  const project = PROJECTS.find((known) => known.name === name);
  if (project === undefined) {
    throw new Error(`the catalog has no project ${name}`);
  }
  return project.version;
}

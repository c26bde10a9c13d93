/**
 * Documents for the rules of a domain: lists of manifests with some random changes, as JSON. The same seed gives the same documents.
 */
import { type JsonObject } from '../../../../src/facts/api/schema';
import { changedManifest, type Vocabulary } from '../../../support/changed-manifests';
import { Random } from '../../../support/random';
import { type Source, vocabularyAround, vocabularyOf } from './vocabulary';

/** Longer documents than this are not read in a review. */
export const LONGEST = 4000;

/** Makes documents from materials and from what code names. */
export class DocumentMaker {
  private readonly random: Random;
  private readonly known: Set<string>;
  private readonly all: Vocabulary;

  constructor(
    private readonly materials: readonly string[],
    private readonly source: Source,
    seed: number,
  ) {
    this.random = new Random(seed);
    this.known = new Set(materials);
    this.all = vocabularyOf(source.fields, source.words);
  }

  /** So many documents, most of them changed with words of one place in the code. */
  any(count: number): readonly string[] {
    const { words } = this.source;
    return this.some(count, this.materials, () =>
      this.random.chance(0.7) ? Math.floor(this.random.next() * words.length) : undefined,
    );
  }

  /** So many documents, made from some and from the words around a place in the code. */
  around(count: number, documents: readonly string[], file: string, position: number): readonly string[] {
    const { words } = this.source;
    const first = words.findIndex((word) => word.file === file && word.position >= position);
    const from = documents.length === 0 ? this.materials : documents;
    return this.some(count, from, () => (this.random.chance(0.8) && first >= 0 ? first : undefined));
  }

  private some(count: number, documents: readonly string[], center: () => number | undefined): readonly string[] {
    const made: string[] = [];
    for (let turn = 0; turn < count; turn++) {
      const word = center();
      const vocabulary =
        word === undefined ? this.all : vocabularyAround(this.source, word, this.random.pick([2, 3, 6, 12, 24]));
      const text = JSON.stringify(this.changed(this.random.pick(documents), vocabulary));
      if (!this.known.has(text) && text.length <= LONGEST) {
        this.known.add(text);
        made.push(text);
      }
    }
    return made;
  }

  private changed(text: string, vocabulary: Vocabulary): readonly JsonObject[] {
    const { random } = this;
    const objects = JSON.parse(text) as readonly JsonObject[];
    const index = Math.floor(random.next() * objects.length);
    if (random.chance(0.05)) {
      return [...objects, changedManifest(objects[index], 1, vocabulary, random)];
    }
    if (random.chance(0.05)) {
      return objects.length > 1
        ? objects.toSpliced(index, 1)
        : [...objects, ...(JSON.parse(random.pick(this.materials)) as readonly JsonObject[])];
    }
    return objects.with(index, changedManifest(objects[index], random.pick([1, 1, 2, 3, 5]), vocabulary, random));
  }
}

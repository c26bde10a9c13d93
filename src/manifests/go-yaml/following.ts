/**
 * What kubectl looks at behind the value of a document: the next word, and all that could be a map key with it.
 */
import { readDirective, readName, readTag } from './properties';
import { beginsPlain, readBlockScalar, readPlain, readQuoted } from './scalars';
import { isGap, type Place, type Source, YamlSyntaxError } from './source';

/** @throws YamlSyntaxError for what kubectl refuses there; anything else is not read */
export function checkFollowing(source: Source, last: Place | undefined): void {
  const begin = last?.blockAllowed === true && source.mayBeKey(last) && !source.isEnd ? last : undefined;
  if (begin !== undefined) {
    readKey(source, begin, 'unexpected text: a comma, a colon, or a quote may be missing before it');
    return;
  }
  if (last !== undefined && last.line === source.line && source.isNeverKey(last) && source.isIndicator(':')) {
    return;
  }
  source.skipGap();
  if (source.column === 0 && source.char === '%') {
    readDirective(source, false);
    return;
  }
  if (source.isEnd) {
    return;
  }
  if (source.blockAllowed && ('&!*"\'[{'.includes(source.char) || beginsPlain(source))) {
    readKey(source, source.place);
  } else {
    readWord(source);
  }
}

/** Reads on while a colon would make a key of what began at a place. */
function readKey(source: Source, begin: Place, refusal?: string): void {
  const { at } = source;
  source.skipGap();
  while (!source.isEnd) {
    if (source.at > begin.at && source.flowDepth === 0 && source.isIndicator(':') && source.mayBeKey(begin)) {
      if (refusal !== undefined) {
        throw new YamlSyntaxError(at, refusal);
      }
      return;
    }
    const endsKey = source.flowDepth === 0 && ',]}'.includes(source.char);
    readWord(source);
    if (endsKey || !source.mayBeKey(begin)) {
      return;
    }
    source.skipGap();
  }
}

/** Reads what belongs together: a string, a name, or one indicator. */
function readWord(source: Source): void {
  const { char, at } = source;
  const isIndicator = (source.flowDepth > 0 && char !== '-') || isGap(source.next);
  if (isIndicator && (char === '-' || char === '?' || char === ':')) {
    if (source.flowDepth === 0 && !source.blockAllowed) {
      throw new YamlSyntaxError(at, 'a list item or a map key must begin on a line of its own');
    }
    source.at++;
    return;
  }
  if ('[]{},'.includes(char)) {
    readPunctuation(source);
    return;
  }
  switch (char) {
    case '&':
    case '*':
      readName(source);
      return;
    case '!':
      readTag(source, undefined);
      return;
    case '"':
    case "'":
      readQuoted(source);
      return;
  }
  if (source.flowDepth === 0 && (char === '|' || char === '>')) {
    readBlockScalar(source, -1);
    return;
  }
  if (!beginsPlain(source)) {
    throw new YamlSyntaxError(at, `a string must not begin with ${char}: put it in quotes`);
  }
  readPlain(source, -1);
}

function readPunctuation(source: Source): void {
  const { char } = source;
  source.at++;
  if (char !== ',') {
    source.flowDepth = Math.max(source.flowDepth + ('[{'.includes(char) ? 1 : -1), 0);
    source.blockAllowed = false;
  }
}

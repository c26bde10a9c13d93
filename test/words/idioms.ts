/**
 * Idioms that Gantry's text avoids (docs/glossary.md gives the words to write), and the places of a file where people read text: all of a
 * page, and of a source file the strings and the docstrings of exports (`IDIOMS`), every comment, and the titles of tests (`CALQUES`).
 */
import ts from 'typescript';

interface Idiom {
  readonly pattern: RegExp;
  readonly write: string;
}

/** Idioms in no comment and no title either. Each has uses that are plain English, which its pattern leaves out. */
const CALQUES: readonly Idiom[] = [
  { pattern: /\bnobody\b(?! on the node)/gi, write: 'nothing, no controller, no user' },
  { pattern: /\bwho(?:m|so)?ever\b/gi, write: 'the user that' },
  { pattern: /\banew\b/gi, write: 'again' },
  { pattern: /\btold\b(?! apart)/gi, write: 'reported, passed, configured' },
  { pattern: /\btell(?:s|ing)? of\b/gi, write: 'reports' },
  {
    pattern: /\blearn(?:s|ed|ing)? (?:it|of|from|what|that|nothing|here|with)\b/gi,
    write: 'reads, is registered with',
  },
  {
    pattern: /\b(?:stand(?:s|ing)?|stood)\b(?!-| (?:for(?! itself)|out|in for)\b)/gi,
    write: 'is, appears, is listed, on standby',
  },
];

export const IDIOMS: readonly Idiom[] = [
  ...CALQUES,
  { pattern: /\b(?:those|him|one) who\b/gi, write: 'users that' },
  { pattern: /(?<!\b(?:all|both|each|most|none) )\bof (?:whom|which)\b/gi, write: 'whose, including' },
  { pattern: /\bonce more\b/gi, write: 'again' },
  { pattern: /\b(?:let|lets|letting) (?:\w+ ){0,2}in\b(?!to)/gi, write: 'admit, fit' },
  { pattern: /\bcom(?:e|es|ing) to rest\b/gi, write: 'reaches a steady state' },
  { pattern: /\bso many\b/gi, write: 'the number of' },
  { pattern: /\bfor so long\b/gi, write: 'a duration' },
  { pattern: /\bslips? of the pen\b/gi, write: 'typo' },
  { pattern: /\bthousand million\b/gi, write: 'billion' },
  { pattern: /\bgo(?:es)? away\b/gi, write: 'is deleted, terminates' },
  { pattern: /\b(?:is|are) gone\b/gi, write: 'is deleted' },
  { pattern: /\bpass(?:es|ed|ing)? over\b/gi, write: 'ignored, skipped' },
  { pattern: /\bwithout a word\b/gi, write: 'silently' },
  { pattern: /\bof late\b/gi, write: 'recent' },
  { pattern: /\bfor ever\b/gi, write: 'forever' },
  { pattern: /\bthrice\b/gi, write: 'three times' },
  { pattern: /\bin the way of\b/gi, write: 'blocks' },
  { pattern: /\bha(?:s|ve) (?:something|nothing) to say\b/gi, write: 'applies to' },
  { pattern: /\bgives? something\b/gi, write: 'sets at least one of' },
  {
    pattern:
      /(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b|more\b|less\b|greater\b|later\b|earlier\b|smaller\b|larger\b|other than\b)[a-z]+/g,
    write: 'is not a',
  },
  { pattern: /\bwhat is weaker\b/gi, write: 'limitations' },
  { pattern: /\bmind(?:s|ed)? only\b|\bonly minds\b/gi, write: 'checks only' },
  {
    pattern: /\bcorrect the (?:name|value|key|number|field|type|count|text|pattern|argument)\b/gi,
    write: 'the field and the value',
  },
  { pattern: /\bin a circle\b|\bno circle\b|\bthe circle\b/gi, write: 'cycle' },
  { pattern: /\bwhat is meant\b|\bmeant after all\b/gi, write: 'intended' },
  { pattern: /\b(?:says?|speaks?) (?:nothing )?of\b/gi, write: 'describes, sets' },
  { pattern: /\bthe like\b/gi, write: 'similar' },
  { pattern: /\bequally many\b/gi, write: 'the same number of' },
  { pattern: /\bhence\b/gi, write: 'so' },
  { pattern: /\b(?:some|every|any)body\b/gi, write: 'users, another component, all' },
  { pattern: /\bshall\b/gi, write: 'must, is to' },
  { pattern: /\bgiv(?:es?|en|ing) out\b/gi, write: 'expose, assign, allocate' },
  { pattern: /\bh[eo]ld(?:s|ing)? (?:\w+ ){0,3}against\b/gi, write: 'compared with, checked against' },
  { pattern: /\bsave (?:that|for)\b/gi, write: 'except' },
  { pattern: /\bputs? right\b/gi, write: 'corrected, fixed' },
  { pattern: /\bfor good\b/gi, write: 'permanently' },
  { pattern: /\bhow sure is this\b/gi, write: 'accuracy' },
  { pattern: /\bkept out\b/gi, write: 'excluded' },
];

/** The idioms in a text, each as it is written there. */
export function idiomsIn(text: string, idioms: readonly Idiom[] = IDIOMS): readonly string[] {
  const lower = text.toLowerCase();
  return idioms.flatMap(({ pattern, write }) =>
    mayMatch(pattern, lower) ? [...text.matchAll(pattern)].map(([seen]) => `"${seen}" (write: ${write})`) : [],
  );
}

/** Strings are found many times as fast as patterns, and few texts contain one that the pattern needs. */
function mayMatch(pattern: RegExp, lower: string): boolean {
  let needed = needs.get(pattern);
  if (needed === undefined) {
    needs.set(pattern, (needed = neededBy(pattern.source)));
  }
  return needed.some((part) => lower.includes(part));
}

const needs = new Map<RegExp, readonly string[]>();

/** One string of each alternative of a pattern, which a match contains; an empty one where there is none. */
export function neededBy(source: string): readonly string[] {
  let flat = source;
  // From the inside out: what a group contains may be absent, or be written in several ways.
  for (let before = ''; flat !== before;) {
    before = flat;
    flat = flat.replace(/\(\?<?[=!][^()]*\)/g, '').replace(/\((?:\?:)?[^()]*\)(?:[?*+]|\{[\d,]+\})*/g, '\0');
  }
  return flat
    .replaceAll('\\b', '')
    .replace(/\[[^\]]*\][?*+]*|\\.[?*+]*|.[?*]|\.\+?/g, '\0')
    .split('|')
    .map((alternative) =>
      alternative
        .split('\0')
        .reduce((a, b) => (b.length > a.length ? b : a), '')
        .toLowerCase(),
    );
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm;
const TITLE = /\b(?:test|it|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])(.*?)\1/g;

/** Lines of a comment are joined by one space, as they are read. */
export function onOneLine(text: string): string {
  return text.replace(/\s*\n\s*(?:\*(?!\/))?\s*/g, ' ');
}

/** The calques in comments of a source file and in titles of its tests. */
export function calquesIn(code: string): readonly string[] {
  const comments = (code.match(COMMENT) ?? []).map(onOneLine);
  const titles = [...code.matchAll(TITLE)].map(([, , title = '']) => title);
  return idiomsIn([...comments, ...titles].join('\n'), CALQUES);
}

/** What people read of a source file: string literals, and the comments of what it exports. */
export function readableTextOf(path: string, code: string): string {
  if (!/\.m?tsx?$/.test(path)) {
    return code;
  }
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  const docs = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(code, node.getFullStart()) ?? []) {
      if (code.startsWith('/**', range.pos)) {
        texts.push(onOneLine(code.slice(range.pos, range.end)));
      }
    }
  };
  const visit = (node: ts.Node, exported: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      return;
    }
    const isExported =
      exported ||
      (ts.canHaveModifiers(node) &&
        (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword));
    if (isExported && isDeclaration(node)) {
      docs(node);
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      texts.push(node.text);
    }
    ts.forEachChild(node, (child) => visit(child, isExported && !ts.isBlock(node)));
  };
  visit(file, false);
  return texts.join('\n');
}

function isDeclaration(node: ts.Node): boolean {
  return ts.isStatement(node) || ts.isClassElement(node) || ts.isTypeElement(node) || ts.isConstructorDeclaration(node);
}

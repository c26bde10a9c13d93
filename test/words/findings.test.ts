/**
 * One style of findings: what docs/glossary.md and CONTRIBUTING say about messages, held over every rule.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { allRuleFacts } from '../../src/interfaces/checks/all-rules';
import { filesBelow, ROOT } from './files';
import { idiomsIn } from './idioms';

/** Words that keep their capital at the beginning of a message: kinds, products, acronyms. */
const PROPER =
  /^(?:[A-Z][a-z]+[A-Z]|[A-Z]{2}|[A-Z]\b|[A-Z]+[0-9]|(?:Argo|Ascend|Always|Bidirectional|Binding|Certificate|Cluster|Container|Cron|Deployment|Flux|Failed|Gantry|Gateway|Gaudi|Go|Grafana|Helm|Hygon|Indexed|Infiniband|Ingress|Intel|Job|Jobs|Karpenter|Kubernetes|Kueue|Kustomization|Lease|Linux|Localhost|Namespace|Never|Node|None|Open|Pod|Pods|Policy|Prometheus|Provisioner|Queue|Recreate|Ray|Role|Router|Secret|Secrets|Service|Services|System|Topology|Volcano|Windows|Workload|Worker|Master|Launcher|Leader|Probe|Protocol)\b)/;

interface Literal {
  readonly at: string;
  readonly member: 'message' | 'expected' | 'fix';
  readonly text: string;
}

/** Text of `message`, `expected`, and `fix` as rule sources write it; what a placeholder stands for reads as `X`. */
function literalsOf(path: string): readonly Literal[] {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest);
  const found: Literal[] = [];
  const add = (member: Literal['member'], node: ts.Expression): void => {
    const text = textOf(node);
    if (text !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      found.push({ at: `${path}:${line + 1}`, member, text });
    } else if (ts.isConditionalExpression(node)) {
      add(member, node.whenTrue);
      add(member, node.whenFalse);
    } else if (ts.isParenthesizedExpression(node)) {
      add(member, node.expression);
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
      add(member, node.right);
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node)) {
      const name = ts.isIdentifier(node.name) ? node.name.text : undefined;
      if (name === 'message' || name === 'expected' || name === 'fix') {
        add(name, node.initializer);
      }
    }
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'say' &&
      node.arguments[1] !== undefined
    ) {
      add('message', node.arguments[1]);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** What a placeholder reads as: a value that is quoted when it is printed, or any text. */
const standIn = ({ expression }: ts.TemplateSpan): string => (isQuoting(expression) ? '"X"' : 'X');

/** Whether it begins with `quoted(…)` or `JSON.stringify(…)`. */
function isQuoting(node: ts.Expression): boolean {
  if (ts.isCallExpression(node)) {
    const called = node.expression;
    return (
      (ts.isIdentifier(called) && called.text === 'quoted') ||
      (ts.isPropertyAccessExpression(called) && called.name.text === 'stringify') ||
      isQuoting(called)
    );
  }
  return ts.isPropertyAccessExpression(node) && isQuoting(node.expression);
}

function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map((span) => `${standIn(span)}${span.literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

const LITERALS = filesBelow('src', /^src\/(?:constructs\/[^/]+\/rules|checks)\/.*\.ts$/).flatMap(literalsOf);
const all = (member: Literal['member']): readonly Literal[] => LITERALS.filter((literal) => literal.member === member);
const wrong = (literals: readonly Literal[], isRight: (text: string) => boolean): readonly string[] =>
  literals.filter(({ text }) => text.trim() !== '' && !isRight(text)).map(({ at, text }) => `${at}: ${text}`);

test('the literals are those of the rules', () => {
  expect(all('message').length).toBeGreaterThan(500);
  expect(all('fix').length).toBeGreaterThan(500);
});

describe('a message', () => {
  test('begins in lower case, unless it begins with a name', () => {
    expect(wrong(all('message'), (text) => !/^[A-Z]/.test(text) || /^X/.test(text) || PROPER.test(text))).toEqual([]);
  });

  test('has no final full stop', () => {
    expect(wrong(all('message'), (text) => !/[.!]$/.test(text))).toEqual([]);
  });

  test('has at most 200 characters', () => {
    expect(wrong(all('message'), (text) => text.length <= 200)).toEqual([]);
  });
});

/** Values in single quotes or backquotes, and a value without quotes after a word that names what it is. Numbers need none. */
const OTHER_QUOTES =
  /(?<!\w)'[^']+'(?!\w)|`|\b(?:unsupported|unknown|duplicate)(?: [a-z.]+){0,3} (?<!\b(?:code|port|nodePort|version) )X\b(?! ["X])/;

describe('values of the user', () => {
  const isQuoted = (text: string): boolean => !OTHER_QUOTES.test(text);

  test('are in double quotes', () => {
    expect(wrong([...all('message'), ...all('expected')], isQuoted)).toEqual([]);
  });

  test.each([
    "unknown queue 'X'",
    'unknown queue `X`',
    'unknown queue X',
    'unsupported kind X of the job',
    "the 'a' field",
  ])('are noticed without them: %s', (text) => {
    expect(isQuoted(text)).toBe(false);
  });

  test.each(['unknown queue "X"', "the container's port", 'duplicate host port X', "NVIDIA's and AMD's devices"])(
    'are not demanded where none is: %s',
    (text) => {
      expect(isQuoted(text)).toBe(true);
    },
  );
});

describe('what is expected', () => {
  test('is a phrase of at most 160 characters without a final full stop', () => {
    expect(wrong(all('expected'), (text) => text.length <= 160 && !/[^.]\.$/.test(text))).toEqual([]);
  });
});

/** A path, a key with its value, a quoted text, or a name in camel case. */
const NAMES_A_FIELD =
  /[a-z\])][\w\])]*\.[A-Za-z[{<]|\b\w+: \S|"|`|\b[a-z]+[A-Z]\w*|--[a-z]|\w\/\w|[a-z]_[a-z]|\w ?= ?\S|\b[a-z]+-[a-z]+\b|\b(?:annotations|data|env|event|expr|action|from|handler|host|hosts|image|ipam|items|labels|protocol|replicas|slices|spec|tolerations|triggers|value|values)\b|\b[A-Z][a-z]+[A-Z]\w+|\b[A-Z][A-Z_]{3,}\b|\bX\b|\/\w+/;
const VERB =
  /^(?:Add|Allow|Apply|Change|Choose|Close|Convert|Create|Declare|Decrease|Define|Delete|Disable|Drop|Enable|Encode|Escape|Give|Grant|Increase|Install|Keep|Label|Leave|List|Lower|Make|Merge|Mount|Move|Name|Order|Pin|Point|Put|Quote|Raise|Reduce|Reference|Remove|Rename|Repeat|Replace|Request|Round|Run|Select|Set|Shorten|Silence|Specify|Split|Start|Store|Suppress|Switch|Turn|Unset|Update|Upgrade|Use|Wait|Wrap|Write|Compare|Number|Probe|Provide|Read|Pass|Annotate|Mark|Copy|Attach|Begin|Bind|Check|Configure|Correct|Deploy|Describe|End|Exclude|Expose|Include|Limit|Match|Migrate|Model|Omit|Place|Prefix|Recreate|Require|Reserve|Restore|Scale|Separate|Serve|Share|State|Stop|Submit|Target|Tolerate|Trigger|Widen|X)\b/;
const isOneSentence = (text: string): boolean =>
  /[.)]$/.test(text) && !/[.!?] [A-Z]/.test(text.replace(/e\.g\. |i\.e\. /g, ''));

describe('a fix', () => {
  const facts = allRuleFacts().map(({ id, fix }) => ({ at: id, member: 'fix' as const, text: fix }));
  const fixes = [...facts, ...all('fix')];

  test('is one sentence with a full stop', () => {
    expect(wrong(fixes, isOneSentence)).toEqual([]);
  });

  test('begins with an imperative', () => {
    expect(wrong(fixes, (text) => VERB.test(text))).toEqual([]);
  });

  test('names what to write: a field, a key, or a value', () => {
    expect(wrong(fixes, (text) => NAMES_A_FIELD.test(text))).toEqual([]);
  });

  test('is of its own rule, and is shared only by rules that are repaired in the same way', () => {
    const ids = new Map<string, readonly string[]>();
    for (const { at, text } of facts) {
      ids.set(text, [...(ids.get(text) ?? []), at]);
    }
    expect([...ids.values()].filter((rules) => rules.length > 1)).toEqual([
      ['core/env-name-valid', 'pods/env-name-readable'],
      ['pods/shared-memory-for-several-gpus', 'pods/shared-memory-for-data-loader'],
      ['pods/visible-devices-left-to-plugin', 'kubeflow/operator-variables-not-by-hand'],
      ['scheduling/gantry-name-known', 'scheduling/gantry-pod-name-known'],
      ['volcano/pod-group-network-topology-names-one-tier', 'volcano/job-network-topology-names-one-tier'],
      ['volcano/job-derived-names-fit', 'kubeflow/derived-names-fit'],
      ['volcano/job-queue-is-leaf', 'volcano/pod-group-queue-is-leaf'],
      ['volcano/annotation-value-read', 'volcano/pod-annotation-value-read'],
      ['volcano/scheduler-argument-typed', 'volcano/scheduler-argument-survivable'],
      ['kubeflow/role-has-template', 'kubeflow/mpi-operator-role-has-container'],
      ['kubeflow/mpi-operator-worker-name-is-dns-1035', 'ray/name-fits'],
    ]);
  });

  test('has 15 to 240 characters', () => {
    expect(wrong(facts, (text) => text.length >= 15)).toEqual([]);
    expect(wrong(fixes, (text) => text.length <= 240)).toEqual([]);
  });
});

describe('the texts of a rule', () => {
  const facts = allRuleFacts();

  test.each(['summary', 'why'] as const)('%s is a sentence with a capital and a full stop', (member) => {
    const isSentence = (text: string): boolean =>
      /^[^a-z]|^[a-z]+[A-Z._]|^[a-z][\w.-]* /.test(text) && /[.)]$/.test(text);
    expect(facts.filter((rule) => !isSentence(rule[member])).map((rule) => `${rule.id}: ${rule[member]}`)).toEqual([]);
  });

  test('a summary has at most 220 characters, a why at most 420', () => {
    expect(facts.filter(({ summary, why }) => summary.length > 220 || why.length > 420).map(({ id }) => id)).toEqual(
      [],
    );
  });

  test('use no idiom that the glossary replaces', () => {
    const texts = facts.flatMap(({ id, summary, why, fix }) => [summary, why, fix].map((text) => ({ id, text })));
    expect(texts.flatMap(({ id, text }) => idiomsIn(text).map((idiom) => `${id}: ${idiom} in ${text}`))).toEqual([]);
  });
});

/**
 * Asks the server and Gantry the same questions and holds the answers side by side.
 */
import { type KubernetesMinor } from '../../../src/facts/api/schema';
import { findKind, isBuiltInGroup } from '../../../src/facts/api/kinds';
import { idOf } from '../../../src/manifests/identity';
import { type ApiClient } from '../control-plane/api-client';
import { type Discovery } from '../control-plane/discovery';
import { askServer, type ServerVerdict } from '../control-plane/server-verdict';
import { askGantry, askGantryAboutText, type GantryVerdict } from './gantry-verdict';
import { type Question } from './mutants';

/** Who on the server's side refused: its decoder and the CRD's schema, the CRD's CEL rules, or its own code. */
export type Judge = 'schema' | 'cel' | 'server';

export interface Answer {
  readonly question: Question;
  readonly server: ServerVerdict;
  /** Absent where the server did not refuse. */
  readonly judge?: Judge;
  readonly gantry: GantryVerdict;
  readonly outcome: 'agree' | 'false accept' | 'false reject' | 'unclear';
}

/** How many requests are under way at a time. */
const PARALLEL = 8;

export async function askBoth(
  client: ApiClient,
  discovery: Discovery,
  questions: readonly Question[],
  kubernetes: KubernetesMinor,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < questions.length) {
      const question = questions[next++];
      const { object, text } = question;
      const server = await askServer(client, discovery, object, { text });
      const gantry = text === undefined ? askGantry(object, kubernetes) : askGantryAboutText(text, kubernetes);
      answers[question.index] = compare(question, server, gantry);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return answers;
}

function compare(question: Question, server: ServerVerdict, gantry: GantryVerdict): Answer {
  const isUnclear = isUnservedAlpha(question, server) || dependsOnCluster(question, server);
  const outcome = isUnclear ? 'unclear' : outcomeOf(server, gantry);
  return {
    question,
    server,
    gantry,
    outcome,
    ...(server.verdict === 'refused' ? { judge: judgeOf(question, server) } : {}),
  };
}

/** Alpha versions of built-in kinds are served where the server is configured to, which no manifest says. */
function isUnservedAlpha({ object }: Question, { status }: ServerVerdict): boolean {
  const { apiVersion, kind } = idOf(object);
  return status === 404 && /v\d+alpha\d+$/.test(apiVersion) && findKind(apiVersion, kind)?.builtIn === true;
}

/** Reasons that are in the cluster: its configuration, an admission plugin that runs only beside controllers, a label of another object. */
const OF_THE_CLUSTER = [
  /this cluster is not configured for dual-stack services/,
  /is not configured on this cluster/,
  /is not in the valid range/,
  /serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set/,
  /requires the `resource\.kubernetes\.io\/admin-access: true` label on the containing namespace/,
];

/** What the object alone does not decide. One without a namespace is created in the one that the user works in. */
function dependsOnCluster({ object }: Question, { message }: ServerVerdict): boolean {
  const isElsewhere = idOf(object).namespace === '' && /does not match event\.namespace/.test(message);
  return isElsewhere || (!message.includes(', ') && OF_THE_CLUSTER.some((reason) => reason.test(message)));
}

function outcomeOf(server: ServerVerdict, gantry: GantryVerdict): Answer['outcome'] {
  if (server.verdict === 'unclear') {
    return 'unclear';
  }
  // A kind that Gantry does not know and the server does not serve: "not checked" promises nothing, and the server has nothing to check.
  if (gantry.verdict === 'not checked') {
    return server.status === 404 ? 'agree' : server.verdict === 'refused' ? 'false accept' : 'agree';
  }
  if (server.verdict === gantry.verdict) {
    return 'agree';
  }
  return server.verdict === 'accepted' ? 'false reject' : 'false accept';
}

/** Reasons of causes that only a schema gives, in a custom resource. */
const SCHEMA_REASONS = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueDuplicate',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

function judgeOf({ kind }: Question, { status, message, causes }: ServerVerdict): Judge {
  if (status !== 422) {
    return 'schema';
  }
  const group = kind.includes('/') ? kind.slice(0, kind.indexOf('/')) : '';
  if (isBuiltInGroup(group) || (causes.length > 0 && causes.every(({ field }) => field.startsWith('metadata')))) {
    return 'server';
  }
  return / in body /.test(message) || causes.some(({ reason }) => SCHEMA_REASONS.has(reason)) ? 'schema' : 'cel';
}

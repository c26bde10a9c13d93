/**
 * Secret values that manifests contain as plain text. Findings never show the value.
 */
import { type Rule } from '../../../../checks/rules/rule';
import { objectsAt } from '../../../../manifests/read';
import { containersIn, hygieneRule } from './hygiene-rule';

/** Names of variables that hold a secret. Names that end in FILE or PATH say where it is. */
const SECRET_NAME =
  /(^|[_-])(PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|SECRET_?KEY|PRIVATE_?KEY|AUTH_?KEY|ENCRYPTION_?KEY|CREDENTIALS?)$/i;

/** Tokens that a model or a parser knows, and that are no secret. */
const OTHER_TOKEN = /(^|_)(BOS|EOS|PAD|UNK|SEP|CLS|MASK|STOP|MAX|NEXT|PER|NUM|IMAGE)_TOKEN$/i;

/** The forms of well-known credentials, whatever the variable is called. */
const CREDENTIALS: readonly RegExp[] = [
  /^A[KS]IA[0-9A-Z]{16}$/,
  /^gh[oprsu]_[A-Za-z0-9]{30,}$/,
  /^github_pat_[A-Za-z0-9_]{30,}$/,
  /^glpat-[\w-]{20,}$/,
  /^hf_[A-Za-z0-9]{30,}$/,
  /^nvapi-[\w-]{30,}$/,
  /^sk-[\w-]{20,}$/,
  /^xox[abeprs]-[\w-]{10,}$/,
  /^AIza[\w-]{35}$/,
  /^eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*$/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // A password in an address.
  /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@$<{][^\s/@]*@/i,
];

/** Values that switch something, name a place, or represent a value that is filled in. */
const NO_SECRET =
  /^(|true|false|yes|no|on|off|none|null|nil|\d{1,4}|\$\(.*\)|\$\{.*\}|\{\{.*\}\}|<.*>|\.{0,2}\/.*|[a-z]+:\/\/[^@]*)$/i;

function isSecret(name: string, value: string): boolean {
  if (CREDENTIALS.some((form) => form.test(value))) {
    return true;
  }
  return SECRET_NAME.test(name) && !OTHER_TOKEN.test(name) && !NO_SECRET.test(value.trim());
}

export const secretRules: readonly Rule[] = [
  hygieneRule(
    'secret-from-secret',
    {
      concerns: ['env'],
      summary: 'A secret value should come from a Secret, and not from the manifest.',
      why: 'Everyone who may read the manifest, the workload, or its pods can read the value, and version control keeps it forever.',
      fix: 'Move the value to a Secret, set env[].valueFrom.secretKeyRef, and rotate the secret.',
      source: 'Kubernetes documentation, good practices for Secrets; kube-linter, env-var-secret',
    },
    function* ({ spec }) {
      for (const container of containersIn(spec)) {
        for (const { value: variable, path } of objectsAt(container.value, '/env')) {
          const { name, value } = variable;
          if (typeof name === 'string' && typeof value === 'string' && isSecret(name, value)) {
            yield {
              path: `${container.path}${path}/value`,
              message: `the environment variable ${name} of ${container.title} contains a secret in plain text`,
              expected: 'valueFrom.secretKeyRef',
            };
          }
        }
      }
    },
  ),
];

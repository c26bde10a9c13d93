/**
 * A CEL rule, parsed and planned once per process, even if several kinds contain it.
 */
import { celEnv, isCelError, parse, plan, type CelInput, type CelResult, type CelValue } from '@bufbuild/cel';
import { addressFunctions } from './address-functions';
import { CALL_LIMIT, costFunctions, metered, paying } from './cost';
import { deviceFunctions } from './device-functions';
import { kubernetesFunctions } from './kubernetes-functions';
import { optionalNone } from './opaque';
import { optionalFunctions } from './optional-functions';
import { rewritten, withoutOptionalSyntax, type Expr } from './syntax-extensions';

/** What a rule evaluates to, and what that cost. */
export type Outcome = ({ readonly value: CelValue } | { readonly error: string }) & { readonly cost: number };

export interface RuleProgram {
  /** Whether it compares with the object as it was; on create such a rule is evaluated only where it takes an optional. */
  readonly usesOldSelf: boolean;
  run(self: CelInput, oldSelf?: CelInput): Outcome;
}

let environment: ReturnType<typeof celEnv> | undefined;
/** On create there is no object as it was. */
const NONE = optionalNone();
const programs = new Map<string, RuleProgram | string>();

/** The program of a rule's text; a string says why there is none. */
export function programOf(source: string): RuleProgram | string {
  let program = programs.get(source);
  if (program === undefined) {
    program = compile(source);
    programs.set(source, program);
  }
  return program;
}

/** Evaluates an expression that is not a rule of a schema, with variables of its own. */
export type Expression = (variables: Record<string, CelInput>) => Outcome;

const expressions = new Map<string, Expression | string>();
/** Expressions that are remembered: a program that runs for long meets any number of them. */
const MOST_EXPRESSIONS = 4000;

/** The program of an expression; a string says why there is none. */
export function expressionOf(source: string): Expression | string {
  let expression = expressions.get(source);
  if (expression === undefined) {
    expression = compileExpression(source);
    if (expressions.size >= MOST_EXPRESSIONS) {
      expressions.clear();
    }
    expressions.set(source, expression);
  }
  return expression;
}

/** What an evaluation comes to. One that exceeds the limit was stopped, so that it has no value that counts. */
function limited(evaluate: () => CelResult): Outcome {
  const { value, cost } = metered(evaluate);
  if (cost > CALL_LIMIT) {
    return { error: `it exceeds the cost limit of ${CALL_LIMIT} units for one rule`, cost };
  }
  return isCelError(value) ? { error: value.message, cost } : { value, cost };
}

function compileExpression(source: string): Expression | string {
  try {
    const parsed = parse(withoutOptionalSyntax(source)).expr;
    if (parsed === undefined) {
      return 'the expression is empty';
    }
    const evaluate = plan(theEnvironment(), paying(rewritten(parsed)));
    return (variables) => limited(() => evaluate(variables));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function theEnvironment(): ReturnType<typeof celEnv> {
  environment ??= celEnv({
    funcs: [...kubernetesFunctions, ...addressFunctions, ...optionalFunctions, ...costFunctions, ...deviceFunctions],
  });
  return environment;
}

function compile(source: string): RuleProgram | string {
  try {
    const parsed = parse(withoutOptionalSyntax(source)).expr;
    if (parsed === undefined) {
      return 'the rule is empty';
    }
    const tree = rewritten(parsed);
    const evaluate = plan(theEnvironment(), paying(tree));
    return {
      usesOldSelf: names(tree).has('oldSelf'),
      run: (self, oldSelf = NONE) => limited(() => evaluate({ self, oldSelf })),
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every name that an expression uses as a variable. */
function names(node: Expr): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
    } else if (typeof value === 'object' && value !== null) {
      if (
        '$typeName' in value &&
        value.$typeName === 'cel.expr.Expr.Ident' &&
        'name' in value &&
        typeof value.name === 'string'
      ) {
        found.add(value.name);
      }
      Object.values(value).forEach(visit);
    }
  };
  visit(node);
  return found;
}

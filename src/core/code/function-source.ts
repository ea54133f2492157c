/**
 * Makes source text of a function that means the same on another thread, or an error that says why it cannot; runs on the thread that
 * calls an algorithm.
 *
 * The text is the one that the engine shows. It is refused if it cannot work on another thread whatever `context` holds. Variables of
 * the function's module look like globals without a scope analysis; explain-thrown.ts reports them when the function reads one.
 */
import { show } from '../errors.js';
import { asyncOrGenerator } from './class-check.js';
import { isCompilerHelper, isRenamedImport, shimFor } from './injections.js';
import { isFunction, isNative } from './object-kind.js';
import { callShim, extended } from './returns.js';
import { endOfInner, isReference, type Token, tokensOf } from './tokens.js';

type FunctionForm = 'arrow' | 'function' | 'method';

interface Shape {
  readonly form: FunctionForm;
  /** Index of the parenthesis before the parameters; of the first token for an arrow without one. */
  readonly parameters: number;
}

/** The cures at the end of every refusal. */
export const CURES =
  'Pass what it needs in `context`, or make it a forkable, forkable(import.meta.url, name, fn), in a module that workers can import.';

/**
 * The text of an expression that gives the same function, in strict mode and without anything of its module.
 *
 * @param fn an arrow function, function or method, synchronous unless it `mayAwait`; a generator function if it `mayYield`
 * @param argument what to call it in an error: "parallelMap's fn"
 * @throws TypeError where it cannot travel, with the reason and both cures
 */
export function sourceOf(fn: unknown, argument: string, { mayAwait = false, mayYield = false } = {}): string {
  if (!isFunction(fn)) throw new TypeError(`furcate: ${argument} must be a function; it was ${show(fn)}.`);
  const refuse = (reason: string): never => {
    throw new TypeError(`furcate: ${argument} cannot travel to the workers: ${reason}. ${CURES}`);
  };
  if (isNative(fn)) {
    refuse('it is a built-in, bound or proxied function, whose source is not to be had; wrap it: (x) => f(x)');
  }
  const kind = asyncOrGenerator(fn);
  const text = Function.prototype.toString.call(fn);
  const tokens = tokensOf(text);
  const yields = mayYield && kind === 'a generator function';
  const isAsync = yields ? tokens[0]?.text === 'async' : mayAwait && kind === 'an async function';
  if (kind !== undefined && !isAsync && !yields) refuse(`it is ${kind}, and workers do not wait inside a loop`);
  const shape = shapeOf(tokens, isAsync ? 1 : 0);
  if (typeof shape !== 'object') return refuse(`it is ${shape ?? 'of a form that is not known'}`);
  const problem = problemIn(tokens, shape);
  if (problem !== undefined) refuse(problem);
  const parameters = tokens[shape.parameters] as Token;
  const keyword = `${isAsync ? 'async ' : ''}function${yields ? '*' : ''}`;
  const more = isAsync ? extended(text, tokens, bodyOf(tokens, shape), yields) : undefined;
  const own = more ?? text;
  const source = shape.form === 'method' ? `${keyword} ${own.slice(parameters.start)}` : own;
  const names = new Set(tokens.filter((_, i) => isReference(tokens, i)).map((token) => token.text));
  // Around the source, in the place of harmless injections.
  const shims = new Map([...names].map((name) => [name, shimFor(name, tokens)]));
  for (const [name, shim] of shims) if (shim === undefined) shims.delete(name);
  if (more !== undefined) shims.set(...callShim);
  return shims.size === 0 ? source : `((${[...shims.keys()]}) => (${source}\n))(${[...shims.values()]})`;
}

/**
 * Recognizes how the function is written; a string if it cannot travel, which says what it is.
 *
 * @param at the first token after `async`
 */
function shapeOf(tokens: readonly Token[], at: number): Shape | string | undefined {
  const text = (i: number): string => tokens[i]?.text ?? '';
  const afterParameters = (i: number): string => (text(i) === '(' ? text((tokens[i] as Token).partner + 1) : '');
  if (text(at + 1) === '=>' || afterParameters(at) === '=>') return { form: 'arrow', parameters: at };
  const method = (): Shape | undefined => {
    const key = text(at) === '*' ? at + 1 : at;
    const parameters = text(key) === '[' ? (tokens[key] as Token).partner + 1 : key + 1;
    return afterParameters(parameters) === '{' ? { form: 'method', parameters } : undefined;
  };
  switch (text(at)) {
    case 'function': {
      const name = text(at + 1) === '*' ? at + 2 : at + 1;
      return { form: 'function', parameters: text(name) === '(' ? name : name + 1 };
    }
    case 'class':
      return method() ?? 'a class; make the objects inside the function, or pass functions';
    case 'get':
    case 'set':
      return method() ?? 'an accessor; wrap it: (x) => x.name';
    default:
      return method();
  }
}

/** Index of the token with which the body of a function begins. */
function bodyOf(tokens: readonly Token[], { form, parameters }: Shape): number {
  const after = Math.max(parameters, (tokens[parameters] as Token).partner) + 1;
  return form === 'arrow' ? after + 1 : after;
}

/** The first thing in the source that cannot work elsewhere. */
function problemIn(tokens: readonly Token[], shape: Shape): string | undefined {
  const declared = declaredIn(tokens);
  for (const [i, token] of tokens.entries()) {
    if (i < shape.parameters || !isReference(tokens, i)) continue;
    const name = token.text;
    if (isRenamedImport(name)) return `it uses the import ${importedName(tokens, i)}, which stays in its module`;
    if (name === 'import') return 'it uses `import`, which only works in a module';
    if (declared.has(name)) continue;
    if (isCompilerHelper(name)) {
      return `it uses ${name}, a helper that the compiler put into its module (raise the compiler's target to ES2022)`;
    }
    if (name === 'require' && tokens[i + 1]?.text === '(') return 'it uses `require`, which only works in a module';
  }
  return receiverIn(tokens, shape);
}

/** `__vite_ssr_import_0__.sin` is the import `sin`. */
function importedName(tokens: readonly Token[], i: number): string {
  const member = tokens[i + 1]?.text === '.' ? tokens[i + 2]?.text : undefined;
  return member === undefined ? (tokens[i] as Token).text : `${member} (as ${(tokens[i] as Token).text}.${member})`;
}

const DECLARING = new Set(['const', 'let', 'var', 'function', 'class']);

/** Names declared somewhere in the source, in the plain forms. */
function declaredIn(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>();
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind === 'word' && DECLARING.has(tokens[i - 1]?.text ?? '')) names.add(text);
    if (text === '=>' && tokens[i - 1]?.kind === 'word') names.add(tokens[i - 1]?.text as string);
  }
  return names;
}

/** The first `this`, `super` or `arguments` that belongs neither to the function nor to a function inside it. */
function receiverIn(tokens: readonly Token[], { form, parameters }: Shape): string | undefined {
  if (form === 'function') return undefined;
  for (let i = parameters + (form === 'method' ? 1 : 0); i < tokens.length; i++) {
    const end = endOfInner(tokens, i);
    if (end > i) {
      i = end;
      continue;
    }
    const { text } = tokens[i] as Token;
    if (!isReference(tokens, i)) continue;
    if (text === 'super') return 'it uses `super`, which belongs to the object that it was written in';
    if (form === 'arrow' && (text === 'this' || text === 'arguments')) {
      return `it is an arrow function that uses \`${text}\` of what stands around it`;
    }
  }
  return undefined;
}

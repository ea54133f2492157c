/**
 * Recognises functions that compare an element with a constant, `(x) => x < 0.5`, from their source text, so that a kernel
 * can do what they say; runs on every thread.
 *
 * Conservative: what is not plainly of that form is not recognised, and is called like any other function.
 */

import { type Token, tokensOf } from '../../core/code/tokens.js';
import type { Comparison, ComparisonOp } from '../kernels/comparison-kernel.js';

/** What the source says: the constant itself, or the property of the context that has it. */
export type ComparisonPattern = Comparison | { readonly op: ComparisonOp; readonly key: string };

/** With its sides changed over. */
const MIRRORED: Readonly<Record<ComparisonOp, ComparisonOp>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '===': '===',
  '!==': '!==',
  '==': '==',
  '!=': '!=',
};

/** A walk along the tokens: each step takes what it names, or nothing. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  /** Takes these texts if they come next. */
  take(...texts: string[]): boolean {
    if (texts.some((text, i) => this.#tokens[this.#at + i]?.text !== text)) return false;
    this.#at += texts.length;
    return true;
  }

  /** Takes a name that binds a parameter; no escapes, which would give one name two spellings. */
  name(): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' || token.text.includes('\\')) return undefined;
    this.#at++;
    return token.text;
  }

  /** Takes a number or bigint, with its sign. */
  literal(): number | bigint | undefined {
    const start = this.#at;
    const sign = this.take('-') ? '-' : this.take('+') ? '+' : '';
    const token = this.#tokens[this.#at];
    const value = token?.kind === 'operand' ? numberIn(token.text) : undefined;
    if (value === undefined || (typeof value === 'bigint' && sign === '+')) {
      this.#at = start;
      return undefined;
    }
    this.#at++;
    return sign === '-' ? -value : value;
  }

  /** Takes a comparison operator, which the lexer gives in pieces of one character. */
  operator(): ComparisonOp | undefined {
    let text = '';
    let end: number | undefined;
    for (let i = this.#at; i < this.#tokens.length; i++) {
      const token = this.#tokens[i] as Token;
      if (!/^[<>=!]$/.test(token.text) || (end !== undefined && token.start !== end)) break;
      text += token.text;
      end = token.end;
    }
    if (!(text in MIRRORED)) return undefined;
    this.#at += text.length;
    return text as ComparisonOp;
  }
}

/** The value of a numeric literal; undefined for what is none, and for octals of the old form. */
function numberIn(text: string): number | bigint | undefined {
  if (!/^[.\d]/.test(text) || /^0\d/.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  if (digits.endsWith('n')) return BigInt(digits.slice(0, -1));
  const value = Number(digits);
  return Number.isNaN(value) ? undefined : value;
}

interface Parameters {
  readonly element: string;
  /** Properties of the context that are taken apart in the parameter list. */
  readonly keys: readonly string[];
}

/** `x`, `(x)`, `(x, i)` or `(x, i, { limit })`, up to the parenthesis. */
function readParameters(reader: Reader): Parameters | undefined {
  const names: string[] = [];
  const keys: string[] = [];
  do {
    if (names.length === 2 && reader.take('{')) {
      do {
        const key = reader.name();
        if (key === undefined) return undefined;
        keys.push(key);
      } while (reader.take(','));
      if (!reader.take('}') || !reader.take(')')) return undefined;
      break;
    }
    const name = reader.name();
    if (name === undefined) return undefined;
    names.push(name);
    if (reader.take(')')) break;
  } while (reader.take(','));
  const [element, index] = names;
  if (element === undefined || element === index || keys.includes(element)) return undefined;
  return { element, keys: index === undefined ? keys : keys.filter((key) => key !== index) };
}

/** Up to the expression; returns what must follow it. */
function readHead(reader: Reader): { parameters: Parameters; closing: string[] } | undefined {
  let parameters: Parameters | undefined;
  let isArrow = true;
  if (reader.take('function')) {
    isArrow = false;
    if (!reader.take('(')) {
      if (reader.name() === undefined || !reader.take('(')) return undefined;
    }
    parameters = readParameters(reader);
  } else if (reader.take('(')) parameters = readParameters(reader);
  else {
    const element = reader.name();
    parameters = element === undefined ? undefined : { element, keys: [] };
  }
  if (parameters === undefined || (isArrow && !reader.take('=>'))) return undefined;
  if (reader.take('{')) return reader.take('return') ? { parameters, closing: ['}'] } : undefined;
  return isArrow ? { parameters, closing: [] } : undefined;
}

/** `x < 0.5`, or with its sides changed over. */
function readExpression(reader: Reader, { element, keys }: Parameters): ComparisonPattern | undefined {
  const operand = (): { constant: number | bigint } | { key: string } | typeof element | undefined => {
    const constant = reader.literal();
    if (constant !== undefined) return { constant };
    const name = reader.name();
    if (name === undefined || name === element) return name;
    return keys.includes(name) ? { key: name } : undefined;
  };
  const left = operand();
  const op = left === undefined ? undefined : reader.operator();
  const right = op === undefined ? undefined : operand();
  if (left === undefined || op === undefined || right === undefined) return undefined;
  if (left === element && typeof right === 'object') return { op, ...right };
  if (right === element && typeof left === 'object') return { op: MIRRORED[op], ...left };
  return undefined;
}

/** What a function's source says, if it is a comparison of the first parameter with a constant and nothing else. */
export function comparisonIn(source: string): ComparisonPattern | undefined {
  const reader = new Reader(tokensOf(source));
  const head = readHead(reader);
  if (head === undefined) return undefined;
  const isWrapped = reader.take('(');
  const pattern = readExpression(reader, head.parameters);
  if (pattern === undefined || (isWrapped && !reader.take(')'))) return undefined;
  if (head.closing.length > 0) reader.take(';');
  return reader.take(...head.closing) && reader.atEnd ? pattern : undefined;
}

const LONGEST = 200; // characters: a longer function is none

const patterns = new WeakMap<object, ComparisonPattern | null>();

/** The same of a function, read once. */
export function patternOf(fn: (...args: never[]) => unknown): ComparisonPattern | undefined {
  let pattern = patterns.get(fn);
  if (pattern === undefined) {
    const source = Function.prototype.toString.call(fn);
    pattern = (source.length <= LONGEST ? comparisonIn(source) : undefined) ?? null;
    patterns.set(fn, pattern);
  }
  return pattern ?? undefined;
}

/** The comparison that a pattern stands for in a call with this context; undefined if the property is no constant. */
export function comparisonOf(pattern: ComparisonPattern, context: unknown): Comparison | undefined {
  if ('constant' in pattern) return pattern;
  const property = Object.getOwnPropertyDescriptor(Object(context), pattern.key);
  const constant: unknown = property?.value;
  return typeof constant === 'number' || typeof constant === 'bigint' ? { op: pattern.op, constant } : undefined;
}

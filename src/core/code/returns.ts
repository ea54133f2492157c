/**
 * Captures what an asynchronous inline function returns, at the moment at which it returns it; runs on every thread.
 *
 * Who waits for the promise of such a function goes on some microtasks later. Other calls of the thread may go on before, and write to the object
 * that was returned. So its text is extended: `return x` becomes `return call.result = x`, and `yield x` of an asynchronous generator
 * `yield call.item = x`, where `call` takes what its caller has prepared (`receiving`). The value of the expression stays what it was.
 */
import { endOfInner, isReference, type Token } from './tokens.js';

/** Takes what one call of a function returns or yields, before any other code of the thread runs. */
export interface Receiver {
  set result(value: unknown);
  set item(value: unknown);
}

/** A name that no function uses. */
const CALL = 'furcate$call';
const OWN = 'furcate$own';
const SYMBOL = 'furcate.call';

/** Goes around an extended text: what it calls its names, and what they stand for. */
export const callShim = [CALL, `globalThis[Symbol.for('${SYMBOL}')]`] as const;

const nobody: Receiver = { set result(_: unknown) {}, set item(_: unknown) {} };
let next = nobody;
(globalThis as Record<symbol, unknown>)[Symbol.for(SYMBOL)] = (): Receiver => {
  const taken = next;
  next = nobody; // calls that the function makes of itself are its own affair
  return taken;
};

/** Calls a function, or lets a generator go on for the first time, for a receiver. */
export function receiving<R>(receiver: Receiver, call: () => R): R {
  next = receiver;
  try {
    return call();
  } finally {
    next = nobody;
  }
}

const ENDS = new Set([';', '}', ')', ']', ',', ':']);

/** Checks whether an expression follows a keyword, on its line. */
function hasOperand(text: string, keyword: Token, after: Token | undefined): boolean {
  return (
    after !== undefined && !ENDS.has(after.text) && !/[\n\r\u2028\u2029]/.test(text.slice(keyword.end, after.start))
  );
}

/**
 * The text of an asynchronous function, extended; undefined if there is nothing to extend.
 *
 * @param body index of the token before which, if it is an expression, or after which, if it is a brace, the body begins
 */
export function extended(text: string, tokens: readonly Token[], body: number, yields: boolean): string | undefined {
  const first = tokens[body] as Token;
  if (first.text !== '{') return `${text.slice(0, first.start)}${CALL}().result = ${text.slice(first.start)}`;
  const keyword = yields ? 'yield' : 'return';
  const target = `${OWN}.${yields ? 'item' : 'result'} = `;
  let made = `${text.slice(0, first.end)} const ${OWN} = ${CALL}();`;
  let from = first.end;
  for (let i = body + 1; i < first.partner; i++) {
    const end = endOfFunction(tokens, i);
    const token = tokens[i] as Token;
    if (end > i) i = end;
    else if (token.text === keyword && isReference(tokens, i) && hasOperand(text, token, tokens[i + 1])) {
      if (tokens[i + 1]?.text === '*') continue; // what `yield*` passes on is not its own
      made += `${text.slice(from, token.end)} ${target}`;
      from = token.end;
    }
  }
  return from === first.end ? undefined : made + text.slice(from);
}

/** If a function or class starts at token `i`, the index of its last token; otherwise -1. An arrow without braces has no statements. */
function endOfFunction(tokens: readonly Token[], i: number): number {
  const { text } = tokens[i] as Token;
  const body = tokens[i + 1];
  if (text === '=>' && body?.text === '{') return body.partner;
  const block = text === 'return' && body?.text === '(' ? tokens[body.partner + 1] : undefined;
  if (block?.text === '{') return block.partner; // a method of that name
  return endOfInner(tokens, i);
}

/**
 * Anchors: where in a function a change is made, by what the code does there: a call, an assignment, an `if`.
 *
 * An anchor holds names, operators and numbers only, never a line of source or a comment, so that rewording the source breaks no change. It is
 * plain data: caches of builds have changes in their keys.
 *
 *     call('store', 'C_MONITOR')            a call of store, one of whose arguments mentions C_MONITOR
 *     last(assignment('local.sp'))          the last assignment to local.sp
 *     inside(ifOn('left', '<'), call('store'))
 */

export type Kind =
  | 'call'
  | 'assignment'
  | 'variable'
  | 'if'
  | 'loop'
  | 'return'
  | 'conditional'
  | 'binary'
  | 'not'
  | 'name'
  | 'number';

export interface Anchor {
  readonly kind: Kind;
  /** The callee, the operator, the name or the number itself. */
  readonly is?: string;
  /** What it mentions: names, operators, numbers. */
  readonly on: readonly string[];
  /** The only place where it is looked for. */
  readonly inside?: Anchor;
  /** Which one, where there are several. */
  readonly which?: 'first' | 'last';
  /** A part of it, in its place. */
  readonly part?: 'condition' | 'start' | 'end';
}

/** A call, or `new`. @param on names in its arguments */
export const call = (callee: string, ...on: string[]): Anchor => ({ kind: 'call', is: callee, on });

/** @param on names in what is assigned to */
export const assignment = (...on: string[]): Anchor => ({ kind: 'assignment', on });

/** The declaration of a variable. */
export const variable = (name: string): Anchor => ({ kind: 'variable', is: name, on: [] });

/** @param on names in its condition */
export const ifOn = (...on: string[]): Anchor => ({ kind: 'if', on });

/** @param on names in what stands in the parentheses of the loop */
export const loop = (...on: string[]): Anchor => ({ kind: 'loop', on });

/** @param on names in what is returned */
export const returning = (...on: string[]): Anchor => ({ kind: 'return', on });

/** `condition ? one : other`. @param on names in the condition */
export const conditional = (...on: string[]): Anchor => ({ kind: 'conditional', on });

/** @param on names in its operands */
export const binary = (operator: string, ...on: string[]): Anchor => ({ kind: 'binary', is: operator, on });

/** `!x`. @param on names in x */
export const not = (...on: string[]): Anchor => ({ kind: 'not', on });

/** A use of a variable or property. */
export const name = (used: string): Anchor => ({ kind: 'name', is: used, on: [] });

export const number = (value: number): Anchor => ({ kind: 'number', is: String(value), on: [] });

/** For what a function does several times, if which time it is will not change by rewording. */
export const first = (anchor: Anchor): Anchor => ({ ...anchor, which: 'first' });
export const last = (anchor: Anchor): Anchor => ({ ...anchor, which: 'last' });

export const inside = (outer: Anchor, anchor: Anchor): Anchor => ({ ...anchor, inside: outer });

/** The condition of an `if`, a loop, or a conditional expression. */
export const conditionOf = (anchor: Anchor): Anchor => ({ ...anchor, part: 'condition' });

/** Where the variable of a `for` begins, and the bound that it is compared with. */
export const startOf = (anchor: Anchor): Anchor => ({ ...anchor, part: 'start' });
export const endOf = (anchor: Anchor): Anchor => ({ ...anchor, part: 'end' });

const NAMES: Readonly<Record<Kind, string>> = {
  call: 'call of',
  assignment: 'assignment to',
  variable: 'variable',
  if: 'if on',
  loop: 'loop over',
  return: 'return of',
  conditional: 'conditional on',
  binary: 'operator',
  not: '! of',
  name: 'use of',
  number: 'number',
};

/** An anchor in words. */
export function described({ kind, is, on, inside: outer, which, part }: Anchor): string {
  const mentions = is === undefined || on.length === 0 ? on.join(', ') : `with ${on.join(', ')}`;
  const words = [part && `${part} of`, which, NAMES[kind], is, mentions, outer && `inside of (${described(outer)})`];
  return words.filter((word) => word !== undefined && word !== '').join(' ');
}

const NAME = /^#?[\w$]+(?:\??\.#?[\w$]+)*$/;
const OPERATOR = /^[-+*/%&|^<>=!?~]{1,4}$/;

/** @throws Error for an anchor that is more than names, operators and numbers: it would quote the source */
export function refuseQuotes(anchor: Anchor): void {
  for (const word of [anchor.is ?? '', ...anchor.on]) {
    const isWord = NAME.test(word) || (OPERATOR.test(word) && !word.startsWith('//') && !word.startsWith('/*'));
    if (word !== '' && !isWord)
      throw new Error(`an anchor is made of names, operators and numbers; '${word}' quotes the source`);
  }
  if (anchor.inside !== undefined) refuseQuotes(anchor.inside);
}

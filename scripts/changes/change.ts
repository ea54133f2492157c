/**
 * Changes of the source, for planted bugs and for builds with hooks or unusual sizes: what is done to an operation of a function.
 *
 *     drop(SLEEP, 'wakeSlot', call('add'))
 *     moveBefore(SLEEP, 'wakeSlot', call('notify'), call('add'))
 *     replace(PUBLISH, 'reclaim', call('tryClaim'), 'isPublic($1, $2, $3)')
 *
 * A function is named by itself or by its class, too: `leave`, `OwnerDeque.pop`. New text may name the parts of what it replaces, so that
 * renaming them breaks no change: `$0` is all of it; `$1`, `$2`, ... are the arguments of a call, the operands of an operator, the condition
 * and the branches of an `if` or a conditional expression, what is returned, the value of a variable, the parameters of a function.
 */
import { type Anchor, described } from './anchors.js';

type Side = 'before' | 'after';

/** What is done. A new text that ends in `;` is a statement. */
export type Edit =
  | { readonly does: 'drop' | 'inline'; readonly what: Anchor }
  | { readonly does: 'replace'; readonly what: Anchor; readonly text: string }
  | { readonly does: 'only if'; readonly what: Anchor; readonly text: string }
  | { readonly does: 'move' | 'copy'; readonly what: Anchor; readonly side: Side; readonly where: Anchor }
  | { readonly does: 'hoist'; readonly what: Anchor; readonly where: Anchor }
  | { readonly does: 'insert'; readonly text: string; readonly side: Side; readonly where: Anchor }
  | { readonly does: 'set'; readonly text: string }
  | { readonly does: 'begin'; readonly text: string };

export interface Change {
  /** Relative to the root, with slashes. */
  readonly file: string;
  /** The function, method, accessor, variable or property. */
  readonly of: string;
  readonly edit: Edit;
}

/** Takes away a statement, an operand of `&&` or `||`, an argument, or an element of a list. */
export const drop = (file: string, of: string, what: Anchor): Change => ({ file, of, edit: { does: 'drop', what } });

export const replace = (file: string, of: string, what: Anchor, text: string): Change => ({
  file,
  of,
  edit: { does: 'replace', what, text },
});

/** Makes a statement depend on a condition. */
export const onlyIf = (file: string, of: string, what: Anchor, condition: string): Change => ({
  file,
  of,
  edit: { does: 'only if', what, text: condition },
});

/** Moves the statement of an operation before that of another one. */
export const moveBefore = (file: string, of: string, what: Anchor, where: Anchor): Change => ({
  file,
  of,
  edit: { does: 'move', what, side: 'before', where },
});

export const moveAfter = (file: string, of: string, what: Anchor, where: Anchor): Change => ({
  file,
  of,
  edit: { does: 'move', what, side: 'after', where },
});

/** Does an operation before another one, and again where it is. */
export const copyBefore = (file: string, of: string, what: Anchor, where: Anchor): Change => ({
  file,
  of,
  edit: { does: 'copy', what, side: 'before', where },
});

export const copyAfter = (file: string, of: string, what: Anchor, where: Anchor): Change => ({
  file,
  of,
  edit: { does: 'copy', what, side: 'after', where },
});

export const insertBefore = (file: string, of: string, where: Anchor, text: string): Change => ({
  file,
  of,
  edit: { does: 'insert', text, side: 'before', where },
});

export const insertAfter = (file: string, of: string, where: Anchor, text: string): Change => ({
  file,
  of,
  edit: { does: 'insert', text, side: 'after', where },
});

/** Evaluates an expression too early, before another operation; what it gave then is used where it was. */
export const hoist = (file: string, of: string, what: Anchor, where: Anchor): Change => ({
  file,
  of,
  edit: { does: 'hoist', what, where },
});

/** Evaluates the value of a variable too late, where it is used. */
export const inline = (file: string, of: string, name: string): Change => ({
  file,
  of,
  edit: { does: 'inline', what: { kind: 'variable', is: name, on: [] } },
});

/** Gives a constant or property another value. */
export const setTo = (file: string, of: string, text: string): Change => ({ file, of, edit: { does: 'set', text } });

/** Puts a statement before all others of a function. */
export const begin = (file: string, of: string, text: string): Change => ({ file, of, edit: { does: 'begin', text } });

const TORN: Readonly<Record<string, string>> = {
  add: 'old + $3',
  sub: 'old - $3',
  and: 'old & $3',
  or: 'old | $3',
  exchange: '$3',
};

/** Makes two accesses of an atomic read-modify-write: others may write between them. */
export function loadAndStore(file: string, of: string, what: Anchor): Change {
  const { is = '' } = what;
  const storing =
    is === 'compareExchange' ? '(old === $3 ? store($1, $2, $4) : 0, old)' : `(store($1, $2, ${TORN[is]}), old)`;
  return replace(file, of, what, `((old) => ${storing})(load($1, $2))`);
}

/** Makes a store of a compareExchange, which then takes itself to have succeeded. */
export const plainStore = (file: string, of: string, what: Anchor): Change =>
  replace(file, of, what, '(store($1, $2, $4), $3)');

/** A change in words. */
export function changeInWords({ file, of, edit }: Change): string {
  const what = 'what' in edit ? ` (${described(edit.what)})` : '';
  const where = 'where' in edit ? ` ${'side' in edit ? edit.side : 'before'} (${described(edit.where)})` : '';
  const text = 'text' in edit ? ` '${edit.text}'` : '';
  return `${edit.does}${what}${text}${where} in ${of} of ${file}`;
}

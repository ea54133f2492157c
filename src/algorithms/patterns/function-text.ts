/** The text of a function, taken apart for regular expressions to read; runs on every thread. */
import { tokensOf } from '../../core/engine.js';

/** A function whose parameters are names. Texts have one blank between two tokens, and no comments. */
export interface FunctionText {
  readonly names: readonly string[];
  /** The names in the last parameter if it is a pattern: `(x, i, { limit })`. */
  readonly keys: readonly string[] | undefined;
  readonly body: string;
  /** The expression that the body is, or that is all it returns; any text if the body does something else. */
  readonly returned: string;
}

/** A name, for regular expressions. */
export const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$]*';
const NAMES = `${NAME}(?: , ${NAME})*`;
/** `(x)`, `(x, i)` or `(x, i, { limit })`. */
const PARAMETERS = `\\( (${NAMES})(?: , \\{ (${NAMES}) \\})? \\)`;
const HEAD = new RegExp(`^(?:function (?:${NAME} )?${PARAMETERS} (?=\\{)|(?:${PARAMETERS}|(${NAME})) => )`, 'u');
const BLOCK = /^\{ return (.*?)(?: ;)? \}$/;
const PARENTHESES = /^\( (.*) \)$/;

/** `({ price, count }) =>`, `({ price }, i) =>`, also as a `function`: what reads properties of its first argument. */
const READS = new RegExp(
  `^(?:function (?:${NAME} )?)?\\( \\{ (${NAMES})(?: ,)? \\}(?: , (${NAME}))? \\) (?:=> |(?=\\{))`,
  'u',
);

/** A function with a longer source is not read (characters). */
const LONGEST = 500;

/** The lexer gives operators that are longer than `++` in pieces of one character: comparisons are put together here. */
function spaced(source: string): string {
  let text = '';
  let end = 0;
  for (const token of tokensOf(source)) {
    const goesOn = token.start === end && /[<>=!]$/.test(text) && /^[<>=!]$/.test(token.text);
    text += goesOn ? token.text : ` ${token.text}`;
    end = token.end;
  }
  return text.slice(1);
}

/** Reads an arrow function or a function expression whose first parameter names properties; undefined for all else. */
export function readerText(
  source: string,
): (Pick<FunctionText, 'names' | 'returned'> & { readonly properties: readonly string[] }) | undefined {
  const text = source.length <= LONGEST ? spaced(source) : '';
  const head = READS.exec(text);
  if (head === null) return undefined;
  const properties = (head[1] as string).split(' , ');
  const names = [...properties, ...(head[2] === undefined ? [] : [head[2]])];
  return { names, properties, returned: returnedBy(text.slice(head[0].length)) };
}

function returnedBy(body: string): string {
  const inBlock = BLOCK.exec(body)?.[1] ?? body;
  return PARENTHESES.exec(inBlock)?.[1] ?? inBlock;
}

/** Reads an arrow function or a function expression; undefined for all else. */
export function functionText(source: string): FunctionText | undefined {
  const text = source.length <= LONGEST ? spaced(source) : '';
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const names = (head[1] ?? head[3] ?? head[5] ?? '').split(' , ');
  const keys = (head[2] ?? head[4])?.split(' , ');
  const body = text.slice(head[0].length);
  return { names, keys, body, returned: returnedBy(body) };
}

/**
 * A JavaScript lexer, good for source that an engine has accepted already; runs on every thread.
 *
 * It finds names and brackets, skips strings, templates, comments and regular expressions, and pairs the brackets. Whether a `/`
 * divides or opens a regular expression depends on the grammar; the rule here looks at the token before, and for `)` and `}` at what
 * stood before their partner. A parser would be a dependency of
 * 100 kB for questions of the kind "does the name `super` occur".
 */

/** `operand` is a string, a number, a regular expression or a piece of a template. */
export type TokenKind = 'word' | 'private' | 'operand' | 'open' | 'close' | 'operator';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** For a bracket, the index of the matching bracket; -1 for other tokens. */
  partner: number;
}

const BLANK = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)+/y;
const NAME_START = String.raw`(?:[\p{ID_Start}$_]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})`;
const NAME_CONTINUE = String.raw`(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})`;
const WORD = new RegExp(`${NAME_START}${NAME_CONTINUE}*`, 'uy');
const PRIVATE = new RegExp(`#${NAME_START}${NAME_CONTINUE}*`, 'uy');
const NUMBER = /(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?)n?/y;
const STRING = /'(?:[^'\\\n]|\\[\s\S])*'|"(?:[^"\\\n]|\\[\s\S])*"/y;
const TEMPLATE_PIECE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[\p{ID_Continue}$]*/uy;
const OPERATOR = /=>|\.\.\.|\?\.(?!\d)|\+\+|--|[\s\S]/uy;

/** Words after which an expression begins, not a division. */
const BEFORE_EXPRESSION = new Set(
  'return typeof instanceof in of new delete void throw case do else yield await extends default'.split(' '),
);
/** Words whose parenthesis is followed by a statement. */
const BEFORE_CONDITION = new Set(['if', 'while', 'for', 'with']);
/** Words that a block follows directly. */
const BEFORE_BLOCK = new Set(['else', 'do', 'try', 'finally', 'static']);

/** All tokens of `source`, comments and blanks left out. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  /** Indices of the brackets that are open here. */
  const open: number[] = [];
  let at = 0;
  /** The text that `pattern` matches here; '' if it does not match. */
  const peek = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0] ?? '';
  };
  /** Appends a token of one character at least, so that the lexer always advances. */
  const push = (kind: TokenKind, text: string): void => {
    const start = at;
    at += text.length || 1;
    tokens.push({ kind, text: source.slice(start, at), start, end: at, partner: -1 });
  };
  const pushOpen = (text: string): void => {
    open.push(tokens.length);
    push('open', text);
  };
  /** Pushes a piece of a template: up to the next substitution, whose bracket is pushed too, or to the end. */
  const template = (quote: string): void => {
    at += quote.length;
    const text = quote + peek(TEMPLATE_PIECE);
    at -= quote.length;
    const piece = text.replace(/\$\{$/, '');
    if (piece !== '') push('operand', piece);
    if (piece !== text) pushOpen('${');
  };
  const close = (text: string): void => {
    const partner = open.pop() ?? -1;
    push('close', text);
    const own = tokens.length - 1;
    (tokens[own] as Token).partner = partner;
    if (partner < 0) return;
    (tokens[partner] as Token).partner = own;
    if (tokens[partner]?.text === '${') template('');
  };
  while (at < source.length) {
    const blank = peek(BLANK);
    const c = source[at] as string;
    if (blank !== '') at += blank.length;
    else if (c === '"' || c === "'") push('operand', peek(STRING));
    else if (c === '`') template(c);
    else if (c === '(' || c === '[' || c === '{') pushOpen(c);
    else if (c === ')' || c === ']' || c === '}') close(c);
    else if (c === '#') push('private', peek(PRIVATE));
    else if (c === '/' && expressionMayStart(tokens)) push('operand', peek(REGEX));
    else {
      const word = peek(WORD);
      const number = word === '' ? peek(NUMBER) : '';
      if (word !== '') push('word', word);
      else if (number !== '') push('operand', number);
      else push('operator', peek(OPERATOR));
    }
  }
  return tokens;
}

/** Checks whether an expression may start after these tokens. Otherwise a slash divides. */
function expressionMayStart(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  const before = tokens.at(-2);
  if (last === undefined) return true;
  if (last.kind === 'word') return BEFORE_EXPRESSION.has(last.text) && before?.text !== '.';
  if (last.kind === 'operand' || last.kind === 'private') return false;
  if (last.text === '++' || last.text === '--') return before === undefined || !isOperand(before);
  if (last.text === ')') return BEFORE_CONDITION.has(tokens[last.partner - 1]?.text ?? '');
  if (last.text === '}') return opensBlock(tokens[last.partner - 1]);
  return last.text !== ']';
}

const isOperand = ({ kind, text }: Token): boolean =>
  kind === 'word' || kind === 'operand' || text === ')' || text === ']';

/**
 * Checks whether a brace after this token opens a block or a body, after which a statement starts, and not an object.
 */
function opensBlock(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === 'word') return BEFORE_BLOCK.has(before.text) || !BEFORE_EXPRESSION.has(before.text);
  return [')', ';', '{', '}', '=>'].includes(before.text);
}

/**
 * Checks whether this word is a name that is looked up, and not the name of a property (`.name`, `{ name: ... }`).
 */
export function isReference(tokens: readonly Token[], i: number): boolean {
  if ((tokens[i] as Token).kind !== 'word') return false;
  const before = tokens[i - 1]?.text;
  if (before === '.' || before === '?.') return false;
  return !(tokens[i + 1]?.text === ':' && (before === '{' || before === ','));
}

/** Words before a parenthesis and a block that are no method's name. */
const CONTROL = new Set(['if', 'for', 'while', 'switch', 'with', 'catch', 'await']);

/** If a function, method or class with its own `this` starts at token `i`, the index of its last token; otherwise -1. */
export function endOfInner(tokens: readonly Token[], i: number): number {
  const { text, partner } = tokens[i] as Token;
  if (text === '(') {
    const body = tokens[partner + 1];
    return body?.text === '{' && isMethodName(tokens[i - 1]) ? body.partner : -1;
  }
  if ((text !== 'function' && text !== 'class') || !isReference(tokens, i)) return -1;
  let at = i + 1;
  while (at < tokens.length && (tokens[at] as Token).text !== '{') at = Math.max(at, (tokens[at] as Token).partner) + 1;
  return tokens[at]?.partner ?? -1;
}

const isMethodName = (token: Token | undefined): boolean =>
  token?.kind === 'word'
    ? !CONTROL.has(token.text)
    : ['operand', 'private'].includes(token?.kind ?? '') || token?.text === ']';

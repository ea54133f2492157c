/**
 * A JavaScript lexer, good for source that an engine has accepted already; runs on every thread.
 *
 * It finds names and brackets, skips strings, templates, comments and regular expressions, and pairs the brackets. Whether a `/` divides or opens a regular expression depends on the grammar; the rule here
 * looks at the token before, and for `)` and `}` at what stood before their partner. A parser would be a dependency of
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
const NAME_PART = String.raw`(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-fA-F]{4}|\\u\{[\da-fA-F]+\})`;
const WORD = new RegExp(`${NAME_START}${NAME_PART}*`, 'uy');
const PRIVATE = new RegExp(`#${NAME_START}${NAME_PART}*`, 'uy');
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

class Lexer {
  readonly tokens: Token[] = [];
  readonly #source: string;
  /** Indices of the brackets that are open here. */
  readonly #open: number[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads one token, or the blank space before it. */
  step(): boolean {
    if (this.#at >= this.#source.length) return false;
    const blank = this.#peek(BLANK);
    const c = this.#source[this.#at] as string;
    if (blank !== '') this.#at += blank.length;
    else if (c === '"' || c === "'") this.#push('operand', this.#peek(STRING));
    else if (c === '`') this.#template(1);
    else if (c === '(' || c === '[' || c === '{') this.#push('open', c);
    else if (c === ')' || c === ']' || c === '}') this.#close(c);
    else if (c === '#') this.#push('private', this.#peek(PRIVATE));
    else if (c === '/' && this.#expressionMayStart()) this.#push('operand', this.#peek(REGEX));
    else this.#name();
    return true;
  }

  #name(): void {
    const word = this.#peek(WORD);
    const number = word === '' ? this.#peek(NUMBER) : '';
    if (word !== '') this.#push('word', word);
    else if (number !== '') this.#push('operand', number);
    else this.#push('operator', this.#peek(OPERATOR));
  }

  #close(bracket: string): void {
    const open = this.#open.pop() ?? -1;
    this.#push('close', bracket);
    const own = this.tokens.length - 1;
    (this.tokens[own] as Token).partner = open;
    if (open < 0) return;
    const partner = this.tokens[open] as Token;
    partner.partner = own;
    if (partner.text === '${') this.#template(0);
  }

  /** A piece of a template: up to the next substitution, whose bracket is pushed too, or to the end. */
  #template(quoteChars: 0 | 1): void {
    const start = this.#at;
    this.#at += quoteChars;
    const end = this.#at + this.#peek(TEMPLATE_PIECE).length;
    this.#at = start;
    const text = this.#source.slice(start, end);
    const substitution = text.endsWith('${');
    const piece = substitution ? text.slice(0, -2) : text;
    if (piece !== '') this.#push('operand', piece);
    if (substitution) this.#push('open', '${');
  }

  /** Whether an expression may start here. Otherwise a slash divides. */
  #expressionMayStart(): boolean {
    const last = this.tokens.at(-1);
    if (last === undefined) return true;
    if (last.kind === 'word') return BEFORE_EXPRESSION.has(last.text) && this.tokens.at(-2)?.text !== '.';
    if (last.kind === 'operand' || last.kind === 'private') return false;
    if (last.text === '++' || last.text === '--') return !this.#isOperand(this.tokens.at(-2));
    if (last.text === ')') return BEFORE_CONDITION.has(this.tokens[last.partner - 1]?.text ?? '');
    if (last.text === '}') return this.#isBlock(last.partner);
    return last.text !== ']';
  }

  #isOperand(token: Token | undefined): boolean {
    if (token === undefined) return false;
    return token.kind === 'word' || token.kind === 'operand' || token.text === ')' || token.text === ']';
  }

  /** Whether this brace opens a block or a body, after which a statement starts, and not an object. */
  #isBlock(brace: number): boolean {
    const before = this.tokens[brace - 1];
    if (before === undefined) return true;
    if (before.kind === 'word') return BEFORE_BLOCK.has(before.text) || !BEFORE_EXPRESSION.has(before.text);
    return [')', ';', '{', '}', '=>'].includes(before.text);
  }

  /** The text that `pattern` matches here; '' if it does not match. */
  #peek(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0] ?? '';
  }

  /** Appends a token. If no pattern matched, the token is one character, so the lexer always advances. */
  #push(kind: TokenKind, text: string): void {
    const known = text === '' ? (this.#source[this.#at] ?? '') : text;
    const start = this.#at;
    this.#at = start + known.length;
    if (kind === 'open') this.#open.push(this.tokens.length);
    this.tokens.push({ kind, text: known, start, end: this.#at, partner: -1 });
  }
}

/** All tokens of `source`, comments and blanks left out. */
export function tokensOf(source: string): Token[] {
  const lexer = new Lexer(source);
  while (lexer.step());
  return lexer.tokens;
}

/** Whether this word is a name that is looked up, and not the name of a property (`.name`, `{ name: ... }`). */
export function isReference(tokens: readonly Token[], i: number): boolean {
  if ((tokens[i] as Token).kind !== 'word') return false;
  const before = tokens[i - 1]?.text;
  if (before === '.' || before === '?.') return false;
  return !(tokens[i + 1]?.text === ':' && (before === '{' || before === ','));
}

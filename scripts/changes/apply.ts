/** Makes changes: each becomes replacements of pieces of the text. */
import ts from 'typescript';
import { type Change, changeInWords, type Edit } from './change.js';
import { anchored, type Declared, parsed, placeIn } from './find.js';
import { withNames } from './names.js';

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const inPlaceOf = (node: ts.Node, text: string): Piece => ({ start: node.getStart(), end: node.getEnd(), text });

function withPieces(text: string, pieces: readonly Piece[]): string {
  return [...pieces]
    .sort((a, b) => b.start - a.start)
    .reduce((rest, { start, end, text: piece }) => rest.slice(0, start) + piece + rest.slice(end), text);
}

/** What `$1`, `$2`, ... stand for. */
function partsOf(node: ts.Node): readonly (ts.Node | undefined)[] {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return node.arguments ?? [];
  if (ts.isBinaryExpression(node)) return [node.left, node.right];
  if (ts.isConditionalExpression(node)) return [node.condition, node.whenTrue, node.whenFalse];
  if (ts.isIfStatement(node)) return [node.expression, node.thenStatement, node.elseStatement];
  if (ts.isReturnStatement(node)) return [node.expression];
  if (ts.isPrefixUnaryExpression(node)) return [node.operand];
  if (ts.isVariableDeclaration(node)) return [node.initializer];
  return ts.isFunctionLike(node) ? node.parameters.map(({ name }) => name) : [];
}

/** Operators bind whatever stands beside them, but not an argument. */
const isLoose = (node: ts.Node): boolean =>
  ts.isBinaryExpression(node) || ts.isConditionalExpression(node) || ts.isArrowFunction(node);

function filled(text: string, node: ts.Node): string {
  return text.replace(/\$(\d)/g, (given, digit: string, at: number) => {
    const part = digit === '0' ? node : partsOf(node)[Number(digit) - 1];
    if (part === undefined) throw new Error(`there is no ${given}`);
    const stands = text === given || (/[(,]\s*$/.test(text.slice(0, at)) && /^\s*[),]/.test(text.slice(at + 2)));
    return isLoose(part) && !stands ? `(${part.getText()})` : part.getText();
  });
}

/** An expression and the parentheses around it. */
function withParentheses(node: ts.Node): ts.Node {
  return ts.isParenthesizedExpression(node.parent) ? withParentheses(node.parent) : node;
}

const isList = (node: ts.Node): boolean =>
  ts.isBlock(node) || ts.isSourceFile(node) || ts.isCaseOrDefaultClause(node) || ts.isModuleBlock(node);

/** The statement that a node is in, or is. */
function statementOf(node: ts.Node): ts.Statement {
  const statement = ts.findAncestor(node, (outer) => ts.isStatement(outer) && !ts.isBlock(outer));
  if (statement === undefined) throw new Error('what is anchored is in no statement');
  return statement as ts.Statement;
}

/** The statement that a node alone makes up. */
function wholeStatementOf(node: ts.Node): ts.Statement | undefined {
  if (ts.isStatement(node)) return node;
  const { parent } = node;
  if (ts.isExpressionStatement(parent)) return parent;
  return ts.isVariableDeclaration(node) && ts.isVariableStatement(parent.parent) ? parent.parent : undefined;
}

function withoutStatement(statement: ts.Statement): Piece {
  const { parent } = statement;
  if (isList(parent)) return inPlaceOf(statement, '');
  if (ts.isIfStatement(parent) && parent.elseStatement === statement)
    return { start: parent.thenStatement.getEnd(), end: statement.getEnd(), text: '' };
  return inPlaceOf(statement, ';');
}

const LOGICAL = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken];

function withoutElement(list: readonly ts.Node[], k: number): Piece {
  const [node, next] = [list[k], list[k + 1]];
  if (k > 0) return { start: list[k - 1].getEnd(), end: node.getEnd(), text: '' };
  return { start: node.getStart(), end: next === undefined ? node.getEnd() : next.getStart(), text: '' };
}

function without(node: ts.Node): Piece {
  const statement = wholeStatementOf(node);
  if (statement !== undefined) return withoutStatement(statement);
  const outer = withParentheses(node);
  const { parent } = outer;
  if (ts.isBinaryExpression(parent) && LOGICAL.includes(parent.operatorToken.kind))
    return inPlaceOf(parent, (parent.left === outer ? parent.right : parent.left).getText());
  const list: readonly ts.Node[] = ts.isCallExpression(parent)
    ? parent.arguments
    : ts.isArrayLiteralExpression(parent)
      ? parent.elements
      : [];
  const k = list.indexOf(outer);
  if (k < 0) throw new Error('what is anchored is no statement, operand, argument or element, so it cannot be dropped');
  return withoutElement(list, k);
}

/** Can any expression stand in the place of a node without parentheses? */
function isOpen(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent))
    return parent.operatorToken.kind === ts.SyntaxKind.EqualsToken && parent.right === node;
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return parent.expression !== node;
  return !(
    ts.isPrefixUnaryExpression(parent) ||
    ts.isPropertyAccessExpression(parent) ||
    ts.isElementAccessExpression(parent) ||
    ts.isConditionalExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isAwaitExpression(parent) ||
    ts.isSpreadElement(parent)
  );
}

function replaced(node: ts.Node, template: string): Piece {
  const text = filled(template, node);
  if (!template.endsWith(';')) return inPlaceOf(node, isOpen(node) || /^[\w$.]+$/.test(text) ? text : `(${text})`);
  const statement = wholeStatementOf(node);
  if (statement === undefined) throw new Error('what is anchored is no statement, so no statement can replace it');
  return inPlaceOf(statement, text);
}

/** A statement beside another one, in a block with it if that is the branch of an `if` or the body of a loop. */
function beside(side: 'before' | 'after', where: ts.Statement, text: string): Piece {
  if (!isList(where.parent)) {
    const both = side === 'before' ? [text, where.getText()] : [where.getText(), text];
    return inPlaceOf(where, `{ ${both.join(' ')} }`);
  }
  const at = side === 'before' ? where.getStart() : where.getEnd();
  return { start: at, end: at, text: side === 'before' ? `${text}\n` : `\n${text}` };
}

const asStatement = (node: ts.Node): string => (ts.isStatement(node) ? node.getText() : `${node.getText()};`);

function moved(what: ts.Statement, side: 'before' | 'after', where: ts.Statement): Piece[] {
  const isIn = (inner: ts.Node, outer: ts.Node): boolean => ts.findAncestor(inner, (node) => node === outer) === outer;
  if (isIn(where, what) || (isIn(what, where) && !isList(where.parent)))
    throw new Error('one of the two statements is inside of the other');
  return [beside(side, where, what.getText()), withoutStatement(what)];
}

function hoisted(what: ts.Node, where: ts.Statement, text: string): Piece[] {
  let early = 'early';
  while (text.includes(early)) early += 'Too';
  return [beside('before', where, `const ${early} = ${what.getText()};`), inPlaceOf(what, early)];
}

function inlined(what: ts.Node): Piece[] {
  if (!ts.isVariableDeclaration(what) || what.initializer === undefined) throw new Error('it has no value');
  const name = what.name.getText();
  const value = what.initializer.getText();
  const uses: Piece[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === name && node !== what.name) uses.push(inPlaceOf(node, `(${value})`));
    ts.forEachChild(node, visit);
  };
  visit(statementOf(what).parent);
  return [...uses, without(what)];
}

function initialized(place: Declared, text: string): Piece {
  if (!('initializer' in place) || place.initializer === undefined) throw new Error('it has no value to be set');
  return inPlaceOf(place.initializer, text);
}

function begun(place: Declared, text: string): Piece {
  if (!ts.isFunctionLike(place) || place.body === undefined || !ts.isBlock(place.body))
    throw new Error('it has no statements');
  const at = place.body.getStart() + 1;
  return { start: at, end: at, text: ` ${filled(text, place)} ` };
}

function piecesOf(place: Declared, edit: Edit, text: string): Piece[] {
  if (edit.does === 'set') return [initialized(place, edit.text)];
  if (edit.does === 'begin') return [begun(place, edit.text)];
  if (edit.does === 'insert') {
    const where = anchored(place, edit.where);
    return [beside(edit.side, statementOf(where), filled(edit.text, where))];
  }
  const what = anchored(place, edit.what);
  switch (edit.does) {
    case 'drop':
      return [without(what)];
    case 'replace':
      return [replaced(what, edit.text)];
    case 'inline':
      return inlined(what);
    case 'only if': {
      const statement = statementOf(what);
      const [open, close] = isList(statement.parent) ? ['', ''] : ['{ ', ' }'];
      return [inPlaceOf(statement, `${open}if (${edit.text}) ${statement.getText()}${close}`)];
    }
    case 'move':
      return moved(statementOf(what), edit.side, statementOf(anchored(place, edit.where)));
    case 'copy':
      return [beside(edit.side, statementOf(anchored(place, edit.where)), asStatement(what))];
    case 'hoist':
      return hoisted(what, statementOf(anchored(place, edit.where)), text);
  }
}

/**
 * The text of a source file after a change.
 *
 * @throws Error for a change that does not fit: an anchor is not there, or more than once; the new text names what is not there
 */
export function changed(text: string, change: Change): string {
  try {
    const before = parsed(change.file, text);
    const after = withPieces(text, piecesOf(placeIn(before, change.of), change.edit, text));
    return withNames(before, parsed(change.file, after), change.of);
  } catch (error) {
    throw new Error(`${(error as Error).message} (${changeInWords(change)})`);
  }
}

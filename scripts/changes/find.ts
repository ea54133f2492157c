/** Finds functions and anchors in the syntax tree of a source file. */
import ts from 'typescript';
import { type Anchor, described, refuseQuotes } from './anchors.js';

/** What has a name that a change can give, and contains code. */
export type Declared =
  | ts.FunctionLikeDeclaration
  | ts.ClassDeclaration
  | ts.VariableDeclaration
  | ts.PropertyDeclaration
  | ts.PropertyAssignment;

export const parsed = (file: string, text: string): ts.SourceFile =>
  ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);

const isFunction = (node: ts.Node | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

function declares(node: ts.Node, name: string): node is Declared {
  if (ts.isConstructorDeclaration(node)) return name === 'constructor' && node.body !== undefined;
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node))
    return node.name?.getText() === name && node.body !== undefined;
  if (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node))
    return node.name.getText() === name && node.initializer !== undefined;
  return ts.isClassDeclaration(node) && node.name?.text === name;
}

/** Local variables and properties have the names of functions, too: only those that hold functions count. */
function isPlace(node: Declared, isInner: boolean): boolean {
  if (ts.isVariableDeclaration(node) && ts.isSourceFile(node.parent.parent.parent)) return true;
  if (ts.isVariableDeclaration(node)) return isFunction(node.initializer);
  return isInner || !ts.isPropertyAssignment(node) || isFunction(node.initializer);
}

/** All nodes below one, in order; types are left out. */
function* below(node: ts.Node): Generator<ts.Node> {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    if (!ts.isTypeNode(child) || ts.isExpressionWithTypeArguments(child)) children.push(child);
  });
  for (const child of children) {
    yield child;
    yield* below(child);
  }
}

const short = (node: ts.Node): string => {
  const text = node.getText().replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

/** @throws Error unless there is one */
function only<N extends ts.Node>(found: readonly N[], what: string, others: readonly ts.Node[]): N {
  const [node, more] = found;
  if (node !== undefined && more === undefined) return node;
  const list = (found.length > 0 ? found : others).map((one) => `'${short(one)}'`).join(', ');
  const there = list === '' ? '' : `; there is ${list}`;
  throw new Error(`${what} is there ${found.length} times, not once${there}`);
}

/** What a change is made in: `leave`, `OwnerDeque.pop`. */
export function placeIn(tree: ts.SourceFile, path: string): Declared {
  let place: ts.Node = tree;
  for (const [k, name] of path.split('.').entries()) {
    const found = [...below(place)].filter((node) => declares(node, name) && isPlace(node, k > 0)) as Declared[];
    place = only(found, name, []);
  }
  return place as Declared;
}

/** The tokens of some nodes, without comments. */
function tokensOf(nodes: readonly (ts.Node | undefined)[]): string[] {
  return nodes.flatMap((node) => {
    if (node === undefined || ts.isJSDoc(node)) return [];
    const children = node.getChildren();
    return children.length === 0 ? [node.getText()] : tokensOf(children);
  });
}

const WORDS = /#?[\w$]+|[^\w\s#$]+/g;

function mentions(nodes: readonly (ts.Node | undefined)[], on: readonly string[]): boolean {
  if (on.length === 0) return true;
  const tokens = tokensOf(nodes).filter((token) => token !== '');
  return on.every((mention) => {
    const wanted = mention.match(WORDS) ?? [];
    return tokens.some((_, k) => wanted.every((word, n) => tokens[k + n] === word));
  });
}

/** Is this the name, or the end of the path: `store`, `this.#words.store`? */
function isNamed(node: ts.Expression, name: string): boolean {
  if (ts.isElementAccessExpression(node)) return node.argumentExpression.getText() === name;
  const text = node.getText().replaceAll(/\s+/g, '');
  return text === name || text.endsWith(`.${name}`);
}

export const isAssignment = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
  node.operatorToken.kind <= ts.SyntaxKind.LastAssignment;

/** Does this identifier name something that is made elsewhere? */
export function isUse(node: ts.Node): boolean {
  const { parent } = node as { parent: ts.Node & { name?: ts.Node; propertyName?: ts.Node } };
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return parent.name !== node && parent.propertyName !== node && !ts.isLabeledStatement(parent);
}

/** What stands in the parentheses of a loop; undefined for what is no loop. */
function headerOf(node: ts.Node): (ts.Node | undefined)[] | undefined {
  if (ts.isForStatement(node)) return [node.initializer, node.condition, node.incrementor];
  if (ts.isForOfStatement(node) || ts.isForInStatement(node)) return [node.initializer, node.expression];
  return ts.isWhileStatement(node) || ts.isDoStatement(node) ? [node.expression] : undefined;
}

/** Is it of the kind of the anchor; and the nodes in which it mentions something. */
function mentioningIn(node: ts.Node, { kind, is = '' }: Anchor): readonly (ts.Node | undefined)[] | undefined {
  switch (kind) {
    case 'call':
      return (ts.isCallExpression(node) || ts.isNewExpression(node)) && isNamed(node.expression, is)
        ? (node.arguments ?? [])
        : undefined;
    case 'assignment':
      return isAssignment(node) ? [node.left] : undefined;
    case 'variable':
      return ts.isVariableDeclaration(node) && node.name.getText() === is ? [] : undefined;
    case 'if':
      return ts.isIfStatement(node) ? [node.expression] : undefined;
    case 'loop':
      return headerOf(node);
    case 'return':
      return ts.isReturnStatement(node) ? [node.expression] : undefined;
    case 'conditional':
      return ts.isConditionalExpression(node) ? [node.condition] : undefined;
    case 'binary':
      return ts.isBinaryExpression(node) && node.operatorToken.getText() === is ? [node] : undefined;
    case 'not':
      return ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken ? [node] : undefined;
    case 'name':
      return (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) && isUse(node) && isNamed(node, is)
        ? []
        : undefined;
    case 'number':
      return ts.isNumericLiteral(node) && Number(node.text) === Number(is) ? [] : undefined;
  }
}

/** What else there is of the kind, for errors: `is` and mentions do not count. */
const isOfKind = (node: ts.Node, { kind }: Anchor): boolean =>
  kind === 'call'
    ? ts.isCallExpression(node)
    : kind !== 'name' && kind !== 'number' && mentioningIn(node, { kind, on: [] }) !== undefined;

function partOf(node: ts.Node, part: Anchor['part']): ts.Node | undefined {
  if (part === undefined) return node;
  if (part === 'condition') {
    if (ts.isForStatement(node) || ts.isConditionalExpression(node)) return node.condition;
    return ts.isIfStatement(node) || ts.isWhileStatement(node) || ts.isDoStatement(node) ? node.expression : undefined;
  }
  if (!ts.isForStatement(node)) return undefined;
  if (part === 'end') return node.condition && ts.isBinaryExpression(node.condition) ? node.condition.right : undefined;
  const { initializer } = node;
  return initializer && ts.isVariableDeclarationList(initializer) ? initializer.declarations[0].initializer : undefined;
}

/** @throws Error unless there is one such node below this one */
export function anchored(root: ts.Node, anchor: Anchor): ts.Node {
  refuseQuotes(anchor);
  const outer = anchor.inside === undefined ? root : anchored(root, anchor.inside);
  const nodes = [...below(outer)];
  const found = nodes.filter((node) => {
    const where = mentioningIn(node, anchor);
    return where !== undefined && mentions(where, anchor.on);
  });
  const which = anchor.which === undefined ? found : found.slice(...(anchor.which === 'first' ? [0, 1] : [-1]));
  const others = nodes.filter((node) => isOfKind(node, anchor));
  const part = partOf(only(which, described(anchor), others), anchor.part);
  if (part === undefined) throw new Error(`what is anchored has no ${anchor.part}`);
  return part;
}

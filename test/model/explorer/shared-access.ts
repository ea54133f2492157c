/**
 * Refuses source whose accesses to shared words the explorer would not see.
 *
 * load-source.ts instruments accesses by name: `words[i]`, but not `w[i]` after `const w = memory.words`. The explorer hands
 * out a decoy that stays zero, so such an access would read a zero, and no scenario would explore it. Hence these rules:
 *
 * 1. An element access is to shared words by one of their names, or to something in `LOCAL`.
 * 2. Shared words keep such a name: they are not bound, assigned, returned in an object or destructured under another one,
 *    and nothing but `SHARED_METHODS` is called on them, and nothing but `SHARED_PROPERTIES` read.
 * 3. A typed array that is made or declared has such a name, or is in `LOCAL_TYPED`.
 * 4. Nothing but the seam names `Atomics`.
 */
import ts from 'typescript';

/** What the source calls arrays on shared memory. */
const SHARED_NAMES = ['words', 'root', 'header', 'doubles', 'requests', 'control'];

/** Makes another view, of which rule 2 asks that it has a shared name again. */
const SHARED_METHODS = ['subarray'];

/** What does not look at the words. */
const SHARED_PROPERTIES = ['length'];

/** What may be indexed without the seam, and why. */
const LOCAL: Readonly<Record<string, readonly string[]>> = {
  'the private stack, which its thread alone has': ['stack', 'calls', 'fn'],
  'what a task carries, in plain arrays and objects': [
    'args',
    'values',
    'value',
    'keys',
    'fields',
    'own',
    'task',
    'place',
  ],
  'a double and its halves, and solutions that are offered or were copied': ['double', 'halves', 'found', 'solution'],
  'the cells of a table in order, which their reader alone has': ['ordered', 'behind'],
  'forks of coroutines, which their thread alone has': ['forks', 'joined'],
  'tables that each realm fills for itself': [
    ...[
      'functions',
      'functionEntries',
      'tasks',
      'states',
      'kinds',
      'members',
      'victims',
      'deques',
      'byPriority',
      'pushed',
      'AT',
      'REASONS',
    ],
    ...['CONSTRUCTORS', 'NAMES', 'BYTES', 'globalThis'],
  ],
};

/** Which typed arrays may have another name than shared words, and why. */
const LOCAL_TYPED: Readonly<Record<string, readonly string[]>> = {
  'the request words of threads without a pool': ['OUTSIDE', 'NOBODY_ASKS', 'LOOKS_ITSELF', 'old', 'next'],
  'bytes on the heap, which the stubs of heap.ts and shared-array.ts refuse': ['bytes'],
  'a double and its halves, and a copy of a solution': ['double', 'halves', 'found'],
  'the cells of a table in order, which their reader alone has': ['ordered', 'behind'],
  'a word that nobody else has, to sleep on; the seam refuses it': ['nobody'],
};

const LOCAL_NAMES = new Set(Object.values(LOCAL).flat());
const LOCAL_TYPED_NAMES = new Set(Object.values(LOCAL_TYPED).flat());

const TYPED_ARRAY = /^(Big)?(Int|Uint|Float)(8|16|32|64)(Clamped)?Array$|^DataView$/;

/** Operators whose result is a number or a boolean, whatever is given. */
const COMPUTES = /^([-+*/%&|^]|\*\*|<<|>>>?|[=!]==?|[<>]=?)$/;

const isSharedName = (name: string): boolean => SHARED_NAMES.includes(name);

/** Without parentheses, type assertions and `!`. */
function bare(node: ts.Expression): ts.Expression {
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node)) {
    return bare(node.expression);
  }
  return node;
}

/** The last name of `a`, `x.a` or `this.#a`; '' for other expressions. */
function nameOf(node: ts.Node): string {
  const inner = ts.isExpression(node) ? bare(node as ts.Expression) : node;
  if (ts.isPropertyAccessExpression(inner)) return nameOf(inner.name);
  return ts.isIdentifier(inner) || ts.isPrivateIdentifier(inner) ? inner.text.replace(/^#/, '') : '';
}

/** Is it an access to shared words that goes through the seam? */
export const isSharedAccess = (node: ts.Node): node is ts.ElementAccessExpression =>
  ts.isElementAccessExpression(node) && isSharedName(nameOf(node.expression));

/** @throws Error that names file, line and rule of an access that would not be seen */
export function refuseUnseenAccesses(file: string, source: ts.SourceFile): void {
  const refuse = (node: ts.Node, why: string): never => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    throw new Error(
      `${file}:${line + 1}: ${why}: ${node.getText(source).split('\n')[0]} (shared-access.ts has the rules)`,
    );
  };

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node)) return;
    if (ts.isElementAccessExpression(node)) {
      const name = nameOf(node.expression);
      if (!isSharedName(name) && !LOCAL_NAMES.has(name) && !isByKey(node)) {
        refuse(node, 'an element access that is neither to shared words by name nor to something known as local');
      }
    } else if (ts.isIdentifier(node) && node.text === 'Atomics') {
      refuse(node.parent, 'an atomic access past the seam');
    } else if (isMention(node) && !keepsName(node)) {
      refuse(node.parent, 'shared words under another name');
    }
    const typed = declaredTypedArray(node);
    if (typed !== undefined && !isSharedName(typed) && !LOCAL_TYPED_NAMES.has(typed)) {
      refuse(node, `a typed array by the name '${typed}', which is neither that of shared words nor known as local`);
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
}

/** `value[BRAND]`, `keys.x['a']`: no index, but a key by a constant's name or a string. */
const isByKey = ({ argumentExpression: key }: ts.ElementAccessExpression): boolean =>
  ts.isStringLiteral(key) ||
  (ts.isIdentifier(key) && /^(BRAND|TASK|NAME|FORKABLE|name)$/.test(key.text)) ||
  (ts.isPropertyAccessExpression(key) && key.getText() === 'Symbol.toStringTag');

/** Does an expression give shared words, by a name of theirs? Names in declarations and of keys do not. */
function isMention(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isSharedName(nameOf(node.name));
  if (!ts.isIdentifier(node) || !isSharedName(node.text)) return false;
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node || parent.initializer === node;
  const isName = (parent as { name?: ts.Node }).name === node;
  return !isName || ts.isShorthandPropertyAssignment(parent);
}

/** Does the place of an expression leave shared words a shared name? */
function keepsName(node: ts.Node): boolean {
  let inner = node;
  let { parent } = node;
  while (ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent) || ts.isNonNullExpression(parent)) {
    inner = parent;
    parent = parent.parent;
  }
  if (ts.isElementAccessExpression(parent)) return true;
  if (ts.isPropertyAccessExpression(parent))
    return [...SHARED_METHODS, ...SHARED_PROPERTIES].includes(parent.name.text);
  if (ts.isShorthandPropertyAssignment(parent) || ts.isReturnStatement(parent)) return true;
  if (ts.isBindingElement(parent) || ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) {
    return takes(parent.name);
  }
  if (ts.isPropertyDeclaration(parent) || ts.isParameter(parent)) return takes(parent.name);
  if (ts.isBinaryExpression(parent)) {
    const operator = parent.operatorToken.getText();
    if (operator === '=') return parent.left === inner || takes(parent.left);
    return COMPUTES.test(operator);
  }
  // The parameter is a typed array by rule 3; builtins have none.
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent))
    return !/^[A-Z]\w*\./.test(parent.expression.getText());
  return false;
}

const takes = (target: ts.Node): boolean => isSharedName(nameOf(target));

/** The name under which a typed array is declared or made here, if one is. */
function declaredTypedArray(node: ts.Node): string | undefined {
  const holds =
    ts.isParameter(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node);
  if (holds && node.type !== undefined && isTypedArrayType(node.type)) return nameOf(node.name) || node.name.getText();
  const value =
    holds || ts.isPropertyAssignment(node) ? (node as { initializer?: ts.Expression }).initializer : undefined;
  if (value !== undefined && makesTypedArray(value)) return nameOf((node as ts.PropertyAssignment).name);
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
    makesTypedArray(node.right)
  ) {
    return nameOf(node.left);
  }
  return undefined;
}

const isTypedArrayType = (type: ts.TypeNode): boolean =>
  ts.isUnionTypeNode(type)
    ? type.types.some(isTypedArrayType)
    : ts.isTypeReferenceNode(type) && TYPED_ARRAY.test(type.typeName.getText());

/** `new Int32Array(...)`, or a method of one: `new Int32Array(n).fill(-1)`, `words.subarray(...)`. */
function makesTypedArray(node: ts.Expression): boolean {
  const inner = bare(node);
  if (ts.isNewExpression(inner)) return TYPED_ARRAY.test(inner.expression.getText());
  if (!ts.isCallExpression(inner) || !ts.isPropertyAccessExpression(inner.expression)) return false;
  const { expression: of, name } = inner.expression;
  return makesTypedArray(of) || (isSharedName(nameOf(of)) && SHARED_METHODS.includes(name.text));
}

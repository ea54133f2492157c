/**
 * Names that a change brings in. A planted bug that names nothing would be found by any test, because it throws: so such a change is an error.
 */
import ts from 'typescript';
import { isUse, placeIn } from './find.js';

const bound = (name: ts.BindingName | undefined): string[] => {
  if (name === undefined) return [];
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : bound(element.name)));
};

const inList = (list: ts.Node | undefined): string[] =>
  list !== undefined && ts.isVariableDeclarationList(list) ? list.declarations.flatMap(({ name }) => bound(name)) : [];

function ofStatement(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node)) return inList(node.declarationList);
  if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) return bound(node.name);
  if (!ts.isImportDeclaration(node)) return [];
  const { name, namedBindings } = node.importClause ?? {};
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : [];
  return [...bound(name), ...named.flatMap((one) => bound(one.name))];
}

/** The names that a node gives to what is inside of it. */
function madeBy(node: ts.Node): string[] {
  if (ts.isBlock(node) || ts.isSourceFile(node) || ts.isCaseOrDefaultClause(node))
    return node.statements.flatMap(ofStatement);
  if (ts.isForStatement(node) || ts.isForOfStatement(node) || ts.isForInStatement(node))
    return inList(node.initializer);
  if (ts.isCatchClause(node)) return bound(node.variableDeclaration?.name);
  if (ts.isFunctionLike(node)) return ['arguments', ...node.parameters.flatMap(({ name }) => bound(name))];
  return ts.isClassLike(node) ? bound(node.name) : [];
}

/** The declaration of a variable of the same function that the use comes before. */
function isTooEarly(use: ts.Identifier, scope: ts.Node): boolean {
  if (!ts.isBlock(scope)) return false;
  const isSameFunction = ts.findAncestor(use, (node) => node === scope || ts.isFunctionLike(node)) === scope;
  return (
    isSameFunction &&
    scope.statements.some(
      (statement) =>
        ts.isVariableStatement(statement) && ofStatement(statement).includes(use.text) && use.pos < statement.pos,
    )
  );
}

function problemsBelow(node: ts.Node): string[] {
  if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return [];
  const own: string[] = [];
  if (ts.isIdentifier(node) && isUse(node) && node.text !== 'undefined') {
    const scope = ts.findAncestor(node.parent, (outer) => madeBy(outer).includes(node.text));
    if (scope === undefined) {
      if (!(node.text in globalThis)) own.push(node.text);
    } else if (isTooEarly(node, scope)) own.push(`${node.text}, which comes later`);
  }
  ts.forEachChild(node, (child) => {
    own.push(...problemsBelow(child));
  });
  return own;
}

/** The names in a function that name nothing, or something that is not there yet. */
const problemsIn = (tree: ts.SourceFile, of: string): string[] => problemsBelow(placeIn(tree, of));

const SEAM = /(?:^|\/)atomics\.js$/;

/** Text that imports names, too, if there is an import of the seam. */
function importing(tree: ts.SourceFile, names: readonly string[]): string {
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (!SEAM.test(statement.moduleSpecifier.text) || bindings === undefined || !ts.isNamedImports(bindings)) continue;
    const at = bindings.elements.end;
    return `${tree.text.slice(0, at)}, ${names.join(', ')}${tree.text.slice(at)}`;
  }
  return tree.text;
}

/** What a change may use without an import of it: builtins of the seam (src/core/memory/atomics.ts). */
const BUILTINS = ['load', 'store'];

/**
 * The text of a changed file, with the imports that it needs.
 *
 * @throws Error if the change has made the function name what is not there
 */
export function withNames(before: ts.SourceFile, after: ts.SourceFile, of: string): string {
  const known = problemsIn(before, of);
  const unknown = [...new Set(problemsIn(after, of).filter((problem) => !known.includes(problem)))];
  const builtins = unknown.filter((problem) => BUILTINS.includes(problem));
  const text = builtins.length === 0 ? after.text : importing(after, builtins);
  const left = text === after.text ? unknown : unknown.filter((problem) => !BUILTINS.includes(problem));
  if (left.length > 0) throw new Error(`the function would name ${left.join('; ')}`);
  return text;
}

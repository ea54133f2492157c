/** Renames variables in a script. */
import ts from 'typescript';

/** Whether an identifier only names a property: `x.name`, `{ name: x }`, a method. */
function isKey(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  return (ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name === node;
}

/** Whether an identifier names a property and is a name too: `{ name }`, as a value or as a pattern. */
function isShorthand(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(parent)) return parent.name === node;
  if (!ts.isBindingElement(parent) || !ts.isObjectBindingPattern(parent.parent)) return false;
  return parent.name === node && parent.propertyName === undefined;
}

/**
 * @param code a script
 * @param names the new name of each variable. All variables that have the old name get it, and no property, string or comment
 */
export function renamed(code: string, names: ReadonlyMap<string, string>): string {
  const pieces: string[] = [];
  let copied = 0;
  const visit = (node: ts.Node): void => {
    const text = ts.isIdentifier(node) && !isKey(node) ? names.get(node.text) : undefined;
    if (text !== undefined) {
      pieces.push(
        code.slice(copied, node.getStart()),
        isShorthand(node as ts.Identifier) ? `${node.getText()}:${text}` : text,
      );
      copied = node.end;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('part.js', code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS));
  return pieces.join('') + code.slice(copied);
}

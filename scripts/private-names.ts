/**
 * Turns private names `#name` into ordinary properties in the build: `$name`, and `$$name` in a class that extends another.
 *
 * A bundler that builds for an older target lowers private names with helpers outside of the function that uses them, but the text of
 * a part must be self-contained. The sources keep `#`, so that the compiler enforces privacy.
 */
import ts from 'typescript';

const declares = (owner: ts.ClassLikeDeclaration, name: string): boolean =>
  owner.members.some((member) => member.name !== undefined && member.name.getText() === name);

function parentOf(owner: ts.ClassLikeDeclaration): string | undefined {
  const clause = owner.heritageClauses?.find(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  return clause?.types[0]?.expression.getText();
}

/** @throws Error for a class that extends a class of another file, and for `#name in`, because it cannot convert these */
export function withoutPrivateNames(text: string, path: string): string {
  if (!text.includes('#')) return text;
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TS);
  const names: ts.PrivateIdentifier[] = [];
  const classes = new Map<string, ts.ClassLikeDeclaration>();
  const visit = (node: ts.Node): void => {
    if (ts.isPrivateIdentifier(node)) names.push(node);
    if (ts.isClassLike(node) && node.name !== undefined) classes.set(node.name.text, node);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  /** The number of a class's ancestors, all of which are in this file. */
  const depthOf = (owner: ts.ClassLikeDeclaration): number => {
    const parent = parentOf(owner);
    if (parent === undefined) return 0;
    const above = classes.get(parent);
    if (above === undefined)
      throw new Error(`${path}: a class with private names extends ${parent}, which is in another file`);
    return depthOf(above) + 1;
  };
  return names.reduceRight((rest, name) => {
    const owner = ts.findAncestor(name, (node) => ts.isClassLike(node) && declares(node, name.text));
    if (owner === undefined || ts.isBinaryExpression(name.parent))
      throw new Error(`${path}: ${name.text} cannot become an ordinary property`);
    const at = name.getStart(tree);
    return `${rest.slice(0, at)}${'$'.repeat(1 + depthOf(owner as ts.ClassLikeDeclaration))}${rest.slice(at + 1)}`;
  }, text);
}

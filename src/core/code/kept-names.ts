/**
 * The helper by which bundlers keep the names of functions: `__name(fn, 'x')` of esbuild and tsx, under whatever name a minifier gives it.
 * A function that is compiled from its text cannot reach the helper, so a stand-in returns the function itself.
 */
import { isReference, type Token } from './tokens.js';

const probe = (): unknown => {
  const probed = (): number => 0;
  return probed;
};

/** The helper's name in this bundle, which the probe's own text calls. */
export function keptNamesHelper(): string {
  return /([\w$]+)\(\(\) *=>[^"']*["']probed["']/.exec(String(probe))?.[1] ?? '__name';
}

export const KEPT_NAMES_STAND_IN = '(fn) => fn';

/** A declaration that stands in for the helper. */
export const keptNamesShim = (): string => `const ${keptNamesHelper()} = ${KEPT_NAMES_STAND_IN};`;

/**
 * Is this name the helper's in a text of the same bundle? A minifier may give the name of the helper to a variable of the program
 * too, so each use must be of the helper's form.
 */
export function keepsNames(name: string, tokens: readonly Token[]): boolean {
  return (
    name === keptNamesHelper() &&
    tokens.every((_, i) => tokens[i]?.text !== name || !isReference(tokens, i) || isNaming(tokens, i))
  );
}

/** Is it `name(..., 'x')`? */
function isNaming(tokens: readonly Token[], i: number): boolean {
  const open = tokens[i + 1];
  if (open?.text !== '(') return false;
  const [comma, last] = tokens.slice(open.partner - 2, open.partner);
  return comma?.text === ',' && /^["'`]/.test(last?.text ?? '');
}

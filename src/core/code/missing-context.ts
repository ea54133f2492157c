/** What a `TypeError` inside a shipped function means in a call that has no `context`; runs on every thread. */

const DESTRUCTURED = /^Cannot destructure property '(.+?)' of '(.+?)' as it is undefined\.$/;
const READ = /^Cannot read properties of undefined \(reading '(.+?)'\)$/;

const NAME = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
const escaped = (name: string): string => name.replaceAll('$', '\\$');

/** Is `name` part of an object pattern that is the last of several parameters? */
const isLastPattern = (source: string, name: string): boolean =>
  new RegExp(`,\\s*\\{[^()]*(?<![\\w$])${escaped(name)}(?![\\w$])[^()]*\\}\\s*,?\\s*\\)\\s*(=>|\\{)`).test(source);

const isLastParameter = (source: string, name: string): boolean =>
  new RegExp(`,\\s*${escaped(name)}\\s*,?\\s*\\)\\s*(=>|\\{)`).test(source);

/** `missing` of `name` occurs as `name.missing`. */
const isRead = (source: string, name: string, missing: string): boolean =>
  new RegExp(`(?<![\\w$.])${escaped(name)}\\.${escaped(missing)}(?![\\w$])`).test(source);

/** The last parameter's name, if it is a plain one and not the only parameter. */
const lastParameterOf = (source: string): string | undefined =>
  /,\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*,?\s*\)\s*(=>|\{)/u.exec(source)?.[1];

/**
 * What the message of a `TypeError` means if it is about the parameter that the context would be; undefined otherwise.
 *
 * @param source the text of the function
 * @param fn what to call the function: "fn of parallelMap"
 */
export function missingContext(message: string, source: string, fn: string): string | undefined {
  const [, property, from] = DESTRUCTURED.exec(message) ?? [];
  const [, read] = READ.exec(message) ?? [];
  const name = property ?? read;
  if (name === undefined || !NAME.test(name)) return undefined;
  const parameter = lastParameterOf(source);
  const isContext =
    property !== undefined
      ? from === 'undefined'
        ? isLastPattern(source, name)
        : isLastParameter(source, from as string)
      : isLastPattern(source, name) || (parameter !== undefined && isRead(source, parameter, name));
  if (!isContext) return undefined;
  return `${fn} takes \`${name}\` from its context, but the call has none. Pass it in the options: { context: { ${name} } }.`;
}

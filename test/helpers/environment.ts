/** Variables of the environment; a browser has none, unless the harness has put some into `furcateTestVariables`. */
type Variables = Readonly<Record<string, string | undefined>>;

const { process: node, furcateTestVariables } = globalThis as unknown as {
  readonly process?: { readonly env: Variables };
  readonly furcateTestVariables?: Variables;
};
const variables: Variables = node?.env ?? furcateTestVariables ?? {};

export const variable = (name: string): string | undefined => variables[name];

/**
 * Where the tests run on many hosts (`FURCATE_EXECUTORS=few`), one way to run tasks of each kind; else all.
 *
 * @param isEnough which ones are enough
 */
export const ofEachKind = <T>(all: readonly T[], isEnough: (one: T) => boolean): T[] =>
  variable('FURCATE_EXECUTORS') === 'few' ? all.filter(isEnough) : [...all];

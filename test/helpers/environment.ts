/** Variables of the environment; a browser has none, unless the harness has put some into `furcateTestVariables`. */
type Variables = Readonly<Record<string, string | undefined>>;

const { process: node, furcateTestVariables } = globalThis as unknown as {
  readonly process?: { readonly env: Variables };
  readonly furcateTestVariables?: Variables;
};
const variables: Variables = node?.env ?? furcateTestVariables ?? {};

export const variable = (name: string): string | undefined => variables[name];

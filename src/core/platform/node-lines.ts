/** At which lines of their files functions and classes are written, as the inspector of Node knows it; on the thread that asks. */

/** A property of what `Runtime.getProperties` was asked about. */
interface Described {
  readonly name: string;
  readonly value?: { readonly objectId?: string; readonly value?: { readonly lineNumber?: number } };
}

/** The answer of the inspector, which comes before `post` returns. */
interface InspectorAnswer {
  readonly result?: { readonly objectId?: string } | readonly Described[];
  readonly internalProperties?: readonly Described[];
}

/** Key under which the inspector finds what it is asked about. */
const ASKED: unique symbol = Symbol.for('furcate.lines') as never;

export function linesOf(values: readonly (object | undefined)[]): readonly (number | undefined)[] {
  const lines: (number | undefined)[] = values.map(() => undefined);
  try {
    const { Session } = process.getBuiltinModule('node:inspector');
    const session = new Session();
    session.connect();
    const ask = (method: string, params: object): InspectorAnswer => {
      let answer: InspectorAnswer = {};
      session.post(method, params, (_: unknown, given: unknown) => {
        answer = given as InspectorAnswer;
      });
      return answer;
    };
    try {
      Object.assign(globalThis, { [ASKED]: values });
      const list = ask('Runtime.evaluate', { expression: "globalThis[Symbol.for('furcate.lines')]" }).result;
      const { objectId } = list as { objectId?: string };
      const elements = ask('Runtime.getProperties', { objectId, ownProperties: true }).result as readonly Described[];
      for (const { name, value } of elements) {
        if (value?.objectId === undefined || !(Number(name) < lines.length)) continue;
        const { internalProperties = [] } = ask('Runtime.getProperties', {
          objectId: value.objectId,
          ownProperties: true,
        });
        const at = internalProperties.find((one) => one.name === '[[FunctionLocation]]')?.value?.value?.lineNumber;
        if (at !== undefined) lines[Number(name)] = at + 1;
      }
    } finally {
      delete (globalThis as { [ASKED]?: unknown })[ASKED];
      session.disconnect();
    }
  } catch {
    // Bun and Deno, and Node without an inspector, do not tell.
  }
  return lines;
}

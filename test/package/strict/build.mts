/** A build tool: compiles modules after those that they import, says how far it is, and tells what is done when something fails. */
import { type GraphNode, isGraphFailure, type TaskGraph, taskGraph } from 'furcate/flows';
import { compile, link, parse } from './build-tasks.mjs';

export type Sources = Readonly<Record<string, { readonly text: string; readonly needs: readonly string[] }>>;

export interface Built {
  readonly output: string | undefined;
  readonly steps: string;
  readonly done: readonly string[];
  readonly failed: readonly string[];
}

const graphOf = (sources: Sources): TaskGraph<[], string> =>
  taskGraph((g) => {
    const compiled = new Map<string, GraphNode<string>>();
    for (const [name, { text, needs }] of Object.entries(sources)) {
      const module = g.with({ name: `parse ${name}` }).task(parse, name, text);
      const before = needs.flatMap((need) => compiled.get(need) ?? []);
      compiled.set(name, g.with({ name: `compile ${name}` }).task(compile, module, g.all(before)));
    }
    return g.with({ name: 'link' }).task(link, g.all([...compiled.values()]));
  });

export async function build(sources: Sources): Promise<Built> {
  let steps = '';
  const onProgress = (done: number, total: number): void => {
    steps = `${String(done)}/${String(total)}`;
  };
  try {
    const output = await graphOf(sources).with({ onProgress, partial: true, timeoutMs: 60_000 }).run();
    return { output, steps, done: [], failed: [] };
  } catch (error) {
    if (!isGraphFailure(error)) throw error;
    return { output: undefined, steps, done: [...error.results.keys()], failed: error.errors.map(String) };
  }
}

/** Rules for the door of the core, src/core/engine.ts: few names, and each is explained where it is declared. */
import { posix } from 'node:path';
import type { ProjectFile } from './project-files.js';

const DOOR = 'src/core/engine.ts';
/**
 * Of which five are for limits, which stand above the core and are an option of its invocations, four for task graphs: frames for what
 * their nodes fork, a look whether thieves ask, the names of their functions, and a type; two for pipelines, whose visits
 * report what they add while they go on, and whose items may be moved; and one for the promises of calls in a scope, which nobody may await.
 * One explains proxies that were revoked. Two more came for the cluster: which tasks this program has, and what a digest of a job names. One is for files. Ten are for insight: three for what finds stalls, seven for what observes tasks as they run: forks, labels, the context of coroutines. Five more record what threads do: the host, the table of code, a mode, and two types. One tells monitoring what happens.
 */
export const MOST_NAMES = 130;

const LIST = /^export (?:type )?\{([^}]*)\} from '([^']+)';/gm;
const EVERYTHING = /^export \* from '([^']+)';/gm;

const pathFrom = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.ts'));

/** The names that a module passes on, and the modules that it has them from. */
const passedOn = ({ path, text }: ProjectFile): { readonly name: string; readonly from: string }[] =>
  [...text.matchAll(LIST)].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, from: pathFrom(path, from) })),
  );

/** Whether a module declares a name below a docstring, or passes on one that is declared so. */
function isExplained(name: string, path: string, files: ReadonlyMap<string, ProjectFile>): boolean {
  const file = files.get(path);
  if (file === undefined) return false;
  const declaration = `\\*/\\nexport (?:abstract |async )?(?:const|function|class|interface|type) ${name}\\b`;
  if (new RegExp(declaration).test(file.text)) return true;
  const further = passedOn(file).filter((one) => one.name === name);
  const paths = further.map(({ from }) => from);
  const imported = new RegExp(`^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)';`, 'm').exec(
    file.text,
  )?.[1];
  if (imported !== undefined) paths.push(pathFrom(path, imported));
  for (const [, from = ''] of file.text.matchAll(EVERYTHING)) paths.push(pathFrom(path, from));
  return paths.some((from) => isExplained(name, from, files));
}

export function doorProblems(files: readonly ProjectFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const door = byPath.get(DOOR);
  if (door === undefined) return [`there is no ${DOOR}`];
  const names = passedOn(door);
  const tooMany = names.length > MOST_NAMES ? [`${DOOR} has ${names.length} names: at most ${MOST_NAMES}`] : [];
  const bare = names.filter(({ name, from }) => !isExplained(name, from, byPath));
  return [...tooMany, ...bare.map(({ name, from }) => `${name} of ${from} is in the door, and has no docstring`)];
}

/** Rules for the door of the core, src/core/engine.ts: few names, and each is explained where it is declared. */
import { posix } from 'node:path';
import type { ProjectFile } from './project-files.js';

const DOOR = 'src/core/engine.ts';
/** Of which some fifty are for one user of the door alone: they stand in groups of their own. */
export const MOST_NAMES = 135;

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

/** Who stands on the core, by folder, and the beginning of the comment above what nobody else takes. */
const USERS = {
  'src/algorithms/': 'For algorithms',
  'src/flow/': 'For flows',
  'src/flows/': 'For flows',
  'src/insight/': 'For insight',
  'src/cluster/': 'For the cluster',
};
const SHARED = ['For any extension', 'For several'];
const IMPORT = /^(?:import|export) (?:type )?\{([^}]*)\} from '[^']*core\/engine\.js';/gm;

/** The groups of those who take each name. */
function usersOf(files: readonly ProjectFile[]): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const user = Object.entries(USERS).find(([folder]) => path.startsWith(folder))?.[1];
    if (user === undefined) continue;
    for (const [, names = ''] of text.matchAll(IMPORT)) {
      for (const given of names.split(',')) {
        const name = given
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, '');
        users.set(name, (users.get(name) ?? new Set()).add(user));
      }
    }
  }
  return users;
}

/** Names that nobody takes, or that stand in the group of others than those who take them. */
function misplaced(door: ProjectFile, files: readonly ProjectFile[]): string[] {
  const users = usersOf(files);
  return door.text.split(/^(?=\/\/ For )/m).flatMap((text) => {
    const group = /^\/\/ ([^:.,]+)/.exec(text)?.[1] ?? '';
    return passedOn({ path: door.path, text }).flatMap(({ name }) => {
      const taking = [...(users.get(name) ?? [])];
      if (taking.length === 0) return [`nobody takes ${name} from the door`];
      const isRight = taking.length > 1 ? SHARED.includes(group) : SHARED[0] === group || taking[0] === group;
      return isRight ? [] : [`${name} is taken '${taking.join(', ')}', and stands in the group '${group}'`];
    });
  });
}

export function doorProblems(files: readonly ProjectFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const door = byPath.get(DOOR);
  if (door === undefined) return [`there is no ${DOOR}`];
  const names = passedOn(door);
  const tooMany = names.length > MOST_NAMES ? [`${DOOR} has ${names.length} names: at most ${MOST_NAMES}`] : [];
  const bare = names.filter(({ name, from }) => !isExplained(name, from, byPath));
  const inGroups = door.text.includes('\n// For ') ? misplaced(door, files) : [];
  return [
    ...tooMany,
    ...inGroups,
    ...bare.map(({ name, from }) => `${name} of ${from} is in the door, and has no docstring`),
  ];
}

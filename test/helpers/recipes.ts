/**
 * The recipes in docs/runtimes.md and docs/deploy.md, and how a test follows them.
 *
 * A recipe is a block of shell commands, which build a bundle. If the bundle is for Node, the last line runs it. Other blocks of the page with a
 * file name are files that recipes may need.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { locked } from '../../scripts/build.js';
import { packed } from '../../scripts/sizes.js';
import { type Outcome, runNodeIn } from './child-process.js';
import { examplesOf } from './examples.js';
import { ROOT } from './project-files.js';

const [RUNTIMES, DEPLOY] = ['docs/runtimes.md', 'docs/deploy.md'] as const;
type Page = typeof RUNTIMES | typeof DEPLOY;
const textOfPage = (path: Page): string => readFileSync(join(ROOT, path), 'utf8');
const FIXTURES = join(ROOT, 'test/package/fixtures');
const BUNDLERS = join(ROOT, '.build/bundlers');

export interface Recipe {
  readonly build: readonly string[];
  /** The file that Node runs; undefined for browsers. */
  readonly program: string | undefined;
}

/** The recipe whose first line is this, or begins so. */
export function recipe(beginning: string, page: Page = RUNTIMES): Recipe {
  const blocks = [...textOfPage(page).matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, body = '']) => body.split('\n'));
  const exact = blocks.filter(([first]) => first === beginning);
  const found = exact.length > 0 ? exact : blocks.filter(([first]) => first?.startsWith(`${beginning} `));
  const [lines] = found;
  if (lines === undefined || found.length > 1)
    throw new Error(`${page} should have one block that begins with '${beginning}'`);
  const program = /^node (\S+)$/.exec(lines.at(-1) as string)?.[1];
  return { build: program === undefined ? lines : lines.slice(0, -1), program };
}

/** The text of a file of a page. */
export function pageFile(name: string, path: Page = RUNTIMES): string {
  const page = { path, text: textOfPage(path) };
  const found = [...examplesOf(page), ...examplesOf(page, 'browser')].find(({ file }) => file === name);
  if (found === undefined) throw new Error(`${path} has no file ${name}`);
  return found.text;
}

/** The block of JSON under a heading of a page. */
export function pageJson(heading: string, page: Page = RUNTIMES): object {
  const [, section = ''] = textOfPage(page).split(new RegExp(`\n##+ ${heading}\n`));
  return JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(section)?.[1] ?? 'null') as object;
}

/**
 * Installs the tools of a folder in fixtures, which are no development dependencies of this project, because they are large and nothing else needs
 * them, and beside them the current build, as npm packs it. Test files may call it at the same time.
 *
 * @returns the folder
 */
export function installTools(name: 'bundlers' | 'frameworks' | 'hosts' | 'next' | 'vercel'): Promise<string> {
  const folder = join(ROOT, '.build', name);
  return locked(async () => {
    const fixture = join(FIXTURES, name);
    const lockFile = textOf(join(fixture, 'package-lock.json')) as string;
    const stamp = join(folder, 'installed');
    if (textOf(stamp) !== lockFile) {
      rmSync(folder, { recursive: true, force: true });
      cpSync(fixture, folder, { recursive: true });
      // Their packages have the programs; the scripts only look for the one that fits a machine.
      await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
      writeFileSync(stamp, lockFile);
    }
    const installed = join(folder, 'node_modules/furcate');
    const { files } = packed();
    if (files.every(({ path }) => textOf(join(ROOT, path)) === textOf(join(installed, path)))) return folder;
    rmSync(installed, { recursive: true, force: true });
    for (const { path } of files) cpSync(join(ROOT, path), join(installed, path));
    return folder;
  }, `${folder}.lock`);
}

export const installBundlers = (): Promise<string> => installTools('bundlers');

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'latin1') : undefined);

/** With it, commands find bundlers. Parcel's workers would take as much of the processor to start as they spare, and Next starts a process to tell its makers what it did. */
export const env = {
  ...process.env,
  NODE_OPTIONS: '',
  PARCEL_WORKERS: '0',
  NEXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
  PATH: [
    ...[BUNDLERS, ROOT, join(ROOT, '.build/hosts')].map((folder) => join(folder, 'node_modules/.bin')),
    process.env['PATH'],
  ].join(delimiter),
};

/** What a build printed, and how the bundle ran. */
export interface Bundled {
  readonly built: string;
  readonly ran: Outcome;
}

/**
 * Makes a folder with the program of fixtures/bundled-app, and with these files instead or besides.
 *
 * @param tools the folder of the tools that build it
 */
export function makeApp(changed: Readonly<Record<string, string>> = {}, tools = BUNDLERS): string {
  mkdirSync(join(tools, 'apps'), { recursive: true });
  const app = mkdtempSync(join(tools, 'apps/app-'));
  cpSync(join(FIXTURES, 'bundled-app'), app, { recursive: true });
  writeFileSync(join(app, 'package-lock.json'), '{}'); // by which Parcel finds the root of a project
  for (const [name, text] of Object.entries(changed)) writeFileSync(join(app, name), text);
  return app;
}

/** A recipe with another text in the place of one that it has. */
export function edited({ build, program }: Recipe, from: string, to: string): Recipe {
  if (!build.join('\n').includes(from)) throw new Error(`no line of this recipe has '${from}': ${build.join('; ')}`);
  return { build: build.map((line) => line.replaceAll(from, to)), program };
}

/** Runs the commands of a recipe in the folder of a program, with the runtimes that they name; returns what they print. */
export function build({ build }: Recipe, app: string, runtimes: Readonly<Record<string, string>> = {}): string {
  const own = Object.entries(runtimes).map(([name, path]) => `${name}() { '${path}' "$@"; }`);
  const command = [...own, `${build.join(' && ')} 2>&1`].join('\n');
  return execFileSync('sh', ['-c', command], { cwd: app, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/**
 * Builds the program, takes the bundle to another place, deletes the sources, and runs the bundle in Node.
 *
 * @param changed files that the program has instead, or besides
 */
export async function follow(how: Recipe, changed?: Readonly<Record<string, string>>): Promise<Bundled> {
  const app = makeApp(changed);
  const target = mkdtempSync(join(tmpdir(), 'furcate-bundle-'));
  try {
    const built = build(how, app);
    for (const name of ['dist', 'package.json']) cpSync(join(app, name), join(target, name), { recursive: true });
    rmSync(app, { recursive: true });
    return { built, ran: await runNodeIn(target, how.program as string) };
  } finally {
    for (const folder of [app, target]) rmSync(folder, { recursive: true, force: true });
  }
}

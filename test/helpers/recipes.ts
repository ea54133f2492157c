/**
 * The recipes for bundlers in docs/runtimes.md, and how a test follows them.
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

const PAGE = 'docs/runtimes.md';
const page = { path: PAGE, text: readFileSync(join(ROOT, PAGE), 'utf8') };
const FIXTURES = join(ROOT, 'test/package/fixtures');
const BUNDLERS = join(ROOT, '.build/bundlers');

/** The files of the page, by name. */
const files = new Map([...examplesOf(page), ...examplesOf(page, 'browser')].map(({ file, text }) => [file, text]));

export interface Recipe {
  readonly build: readonly string[];
  /** The file that Node runs; undefined for browsers. */
  readonly program: string | undefined;
}

/** The recipe whose first line is this, or begins so. */
export function recipe(beginning: string): Recipe {
  const blocks = [...page.text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, body = '']) => body.split('\n'));
  const exact = blocks.filter(([first]) => first === beginning);
  const found = exact.length > 0 ? exact : blocks.filter(([first]) => first?.startsWith(`${beginning} `));
  const [lines] = found;
  if (lines === undefined || found.length > 1)
    throw new Error(`${PAGE} should have one block that begins with '${beginning}'`);
  const program = /^node (\S+)$/.exec(lines.at(-1) as string)?.[1];
  return { build: program === undefined ? lines : lines.slice(0, -1), program };
}

/** The text of a file of the page. */
export function pageFile(name: string): string {
  const text = files.get(name);
  if (text === undefined) throw new Error(`${PAGE} has no file ${name}`);
  return text;
}

/** The block of JSON under a heading of the page. */
export function pageJson(heading: string): object {
  const [, section = ''] = page.text.split(`\n### ${heading}\n`);
  return JSON.parse(/^```json\n([\s\S]*?)\n```$/m.exec(section)?.[1] ?? 'null') as object;
}

/**
 * Installs the bundlers that are no development dependencies of this project, because they are large and nothing else needs them, and beside
 * them the current build. Test files may call it at the same time.
 */
export function installBundlers(): Promise<void> {
  return locked(async () => {
    const fixture = join(FIXTURES, 'bundlers');
    const lockFile = textOf(join(fixture, 'package-lock.json')) as string;
    const stamp = join(BUNDLERS, 'installed');
    if (textOf(stamp) !== lockFile) {
      rmSync(BUNDLERS, { recursive: true, force: true });
      cpSync(fixture, BUNDLERS, { recursive: true });
      // Their packages have the programs; the scripts only look for the one that fits a machine.
      await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: BUNDLERS });
      writeFileSync(stamp, lockFile);
    }
    const installed = join(BUNDLERS, 'node_modules/furcate');
    const { files } = packed();
    if (files.every(({ path }) => textOf(join(ROOT, path)) === textOf(join(installed, path)))) return;
    rmSync(installed, { recursive: true, force: true });
    for (const { path } of files) cpSync(join(ROOT, path), join(installed, path));
  }, `${BUNDLERS}.lock`);
}

const textOf = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'latin1') : undefined);

/** With it, commands find bundlers. */
export const env = {
  ...process.env,
  NODE_OPTIONS: '',
  NO_COLOR: '1',
  PATH: [join(BUNDLERS, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
};

/** What a build printed, and how the bundle ran. */
export interface Bundled {
  readonly built: string;
  readonly ran: Outcome;
}

/** Makes a folder with the program of fixtures/bundled-app, and with these files instead or besides. */
export function makeApp(changed: Readonly<Record<string, string>> = {}): string {
  mkdirSync(join(BUNDLERS, 'apps'), { recursive: true });
  const app = mkdtempSync(join(BUNDLERS, 'apps/app-'));
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

/** Runs the commands of a recipe in the folder of a program; returns what they print. */
export function build({ build }: Recipe, app: string): string {
  const command = `${build.join(' && ')} 2>&1`;
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

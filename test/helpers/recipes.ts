/**
 * The recipes for bundlers in docs/runtimes.md, and how a test follows them.
 *
 * A recipe is a block of shell commands. Its last line runs the program; the lines before build it. Other blocks of the page with a file name
 * are files that recipes may need.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { packed } from '../../scripts/sizes.js';
import { type Outcome, runNodeIn } from './child-process.js';
import { examplesOf } from './examples.js';
import { ROOT } from './project-files.js';

const PAGE = 'docs/runtimes.md';
const page = { path: PAGE, text: readFileSync(join(ROOT, PAGE), 'utf8') };
const FIXTURES = join(ROOT, 'test/package/fixtures');
const BUNDLERS = join(ROOT, '.build/bundlers');

/** The files of the page, by name. */
const files = new Map(examplesOf(page).map(({ file, text }) => [file, text]));

export interface Recipe {
  readonly build: readonly string[];
  /** The file that Node runs. */
  readonly program: string;
}

/** The recipe whose first line begins so. */
export function recipe(beginning: string): Recipe {
  const blocks = [...page.text.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, body = '']) => body.split('\n'));
  const found = blocks.filter(([first]) => first?.startsWith(beginning));
  const [build, run] = [found[0]?.slice(0, -1), found[0]?.at(-1)];
  const program = /^node (\S+)$/.exec(run ?? '')?.[1];
  if (found.length !== 1 || build === undefined || program === undefined)
    throw new Error(`${PAGE} should have one block that begins with '${beginning}', and ends with 'node <program>'`);
  return { build, program };
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
 * Installs the bundlers that are no development dependencies of this project: they are large, and nothing else needs them. Once for each
 * lock file.
 */
export function installBundlers(): void {
  const fixture = join(FIXTURES, 'bundlers');
  const lock = createHash('sha256')
    .update(readFileSync(join(fixture, 'package-lock.json')))
    .digest('hex');
  const stamp = join(BUNDLERS, 'installed');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
    rmSync(BUNDLERS, { recursive: true, force: true });
    cpSync(fixture, BUNDLERS, { recursive: true });
    // Their packages have the programs; the scripts only look for the one that fits a machine.
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: BUNDLERS, stdio: 'pipe' });
    writeFileSync(stamp, lock);
  }
  const installed = join(BUNDLERS, 'node_modules/furcate');
  rmSync(installed, { recursive: true, force: true });
  for (const { path } of packed().files) cpSync(join(ROOT, path), join(installed, path));
}

/** Where commands find bundlers. */
const env = {
  ...process.env,
  NODE_OPTIONS: '',
  PATH: [join(BUNDLERS, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
};

/** What a build printed, and how the bundle ran. */
export interface Bundled {
  readonly built: string;
  readonly ran: Outcome;
}

/**
 * Builds the program of fixtures/bundled-app, takes the bundle to another place, deletes the sources, and runs the bundle.
 *
 * @param changed files that the program has instead, or besides
 */
export async function follow(
  { build, program }: Recipe,
  changed: Readonly<Record<string, string>> = {},
): Promise<Bundled> {
  mkdirSync(join(BUNDLERS, 'apps'), { recursive: true });
  const app = mkdtempSync(join(BUNDLERS, 'apps/app-'));
  const target = mkdtempSync(join(tmpdir(), 'furcate-bundle-'));
  try {
    cpSync(join(FIXTURES, 'bundled-app'), app, { recursive: true });
    writeFileSync(join(app, 'package-lock.json'), '{}'); // by which Parcel finds the root of a project
    for (const [name, text] of Object.entries(changed)) writeFileSync(join(app, name), text);
    const command = `${build.join(' && ')} 2>&1`;
    const built = execFileSync('sh', ['-c', command], {
      cwd: app,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [dist] = program.split('/') as [string];
    cpSync(join(app, dist), join(target, dist), { recursive: true });
    cpSync(join(app, 'package.json'), join(target, 'package.json'));
    rmSync(app, { recursive: true });
    return { built, ran: await runNodeIn(target, program) };
  } finally {
    for (const folder of [app, target]) rmSync(folder, { recursive: true, force: true });
  }
}

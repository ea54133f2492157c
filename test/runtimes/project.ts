/** Makes the project that hosts run: the packed package, installed as users install it, and the tests beside it. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { kernelsLiteral } from '../../scripts/kernels.js';
import { type Externals, ROOT, writeModules } from './module-files.js';
import { README_PROGRAM, readmeProgram } from './suites.js';

/** All that the harness installs and makes; git ignores it. */
export const CACHE = join(ROOT, '.build/runtimes');

export interface Project {
  readonly folder: string;
  /** What a test file imports besides modules of this project. */
  readonly externals: Externals;
  /** URLs of packages for hosts that find none by themselves. */
  readonly packages: Readonly<Record<string, string>>;
  remove(): void;
}

/** Each run has a project of its own: several may run at the same time. */
const projectOf = (pid: number): string => join(CACHE, `project-${pid}`);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Removes what runs that were killed have left. */
function removeOldProjects(): void {
  if (!existsSync(CACHE)) return;
  for (const name of readdirSync(CACHE)) {
    const pid = /^project-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(CACHE, name), { recursive: true, force: true });
  }
}

/** Packs the current build, and installs the tarball without a network. */
export function installPackage(folder: string): void {
  const npm = (...args: readonly string[]): string =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = JSON.parse(npm('pack', ROOT, '--ignore-scripts', '--json')) as [{ filename: string }];
  npm('install', `./${packed.filename}`, '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
}

/** What runs on the hosts besides the tests: the harness's part, with vitest in it, and packages that tests import. */
async function bundleHarness(folder: string): Promise<void> {
  await build({
    entryPoints: {
      ...Object.fromEntries(
        ['process-main', 'page-main', 'worker-main', 'assert'].map((name) => [
          name,
          join(ROOT, `test/runtimes/in-host/${name}.ts`),
        ]),
      ),
      'fast-check': 'fast-check',
    },
    outdir: join(folder, 'harness'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import', 'default'],
    external: ['node:*'],
    absWorkingDir: ROOT,
    logLevel: 'error',
  });
}

/** Where a page finds an entry of the package: the file that its conditions name for browsers. */
async function urlOfEntry(folder: string, entry: string): Promise<string> {
  let url = '';
  await build({
    stdin: { contents: `import '${entry}';`, resolveDir: folder },
    bundle: true,
    write: false,
    platform: 'browser',
    conditions: [], // not `module`, which only bundlers know
    plugins: [
      {
        name: 'resolve',
        setup: ({ onLoad }) =>
          onLoad({ filter: /furcate/ }, ({ path }) => {
            url ||= path.slice(folder.length);
            return { contents: '' };
          }),
      },
    ],
  });
  return url;
}

/** @param files the test files and programs that will run */
export async function makeProject(files: readonly string[]): Promise<Project> {
  removeOldProjects();
  const folder = projectOf(process.pid);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  installPackage(folder);
  cpSync(join(ROOT, 'test/fixtures'), join(folder, 'test/fixtures'), { recursive: true });
  const users = dirname(README_PROGRAM);
  cpSync(join(ROOT, users), join(folder, users), { recursive: true });
  writeFileSync(join(folder, README_PROGRAM), readmeProgram());
  const modules = files.filter((file) => file.endsWith('.ts'));
  const define = { __FURCATE_KERNELS__: await kernelsLiteral() };
  const [externals] = await Promise.all([
    writeModules(modules, join(folder, 'modules'), define),
    bundleHarness(folder),
  ]);
  const entries = [
    'furcate',
    'furcate/flows',
    'furcate/insight',
    'furcate/doctor',
    'furcate/worker',
    'furcate/worker/complete',
  ];
  const urls = await Promise.all(entries.map(async (entry) => [entry, await urlOfEntry(folder, entry)] as const));
  const packages = {
    ...Object.fromEntries(urls),
    'fast-check': '/harness/fast-check.js',
    'node:assert/strict': '/harness/assert.js',
  };
  return { folder, externals, packages, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

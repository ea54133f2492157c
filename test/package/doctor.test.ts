/** `npx furcate doctor` of the packed package, as users have it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuild } from '../../scripts/build.js';
import type { Outcome } from '../helpers/child-process.js';
import { LONG_TEST_HANG_MS, STEP_HANG_MS } from '../helpers/limits.js';
import { installPackage } from '../runtimes/project.js';

let folder: string;

beforeAll(async () => {
  await ensureBuild(['scripts', 'declarations']);
  folder = mkdtempSync(join(tmpdir(), 'furcate-doctor-'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "commonjs" }');
  installPackage(folder);
}, LONG_TEST_HANG_MS);

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const env = { ...process.env, NODE_OPTIONS: '', ...environment };
  return new Promise((done) =>
    execFile(program, args, { cwd: folder, env, timeout: STEP_HANG_MS }, (error, stdout, stderr) =>
      done({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr }),
    ),
  );
}

/** The command that npx finds, which takes half a second to do so. */
const COMMAND = 'node_modules/.bin/furcate';

test('npx furcate doctor fits a screen, has no colours in a pipe, and ends with 0', async () => {
  const { code, stdout, stderr } = await run('npx', ['--no-install', 'furcate', 'doctor']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^furcate \d+\.\d+\.\d+\S* on Node \d+/);
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(stdout).toMatch(/ yes {2}threads +\d workers? started/);
  expect(stdout).toMatch(/round trip +[\d.]+ us/);
  expect(stdout).not.toContain('\u001b');
});

test('--json prints the report', async () => {
  const { code, stdout } = await run(COMMAND, ['doctor', '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, runtime: `Node ${process.versions.node}` });
});

test('what is wrong ends with 1, and is said', async () => {
  const { code, stdout } = await run(COMMAND, ['doctor'], { FURCATE_PARALLELISM: 'many' });
  expect(code).toBe(1);
  expect(stdout).toMatch(/ no {3}threads +the environment variable FURCATE_PARALLELISM must\s+be/);
  expect(stdout).toContain('Parallel calls do not run on threads here: see threads.');
});

test('a process that may start no thread is told what it lacks', async () => {
  const permission = Number(process.versions.node.split('.')[0]) < 24 ? '--experimental-permission' : '--permission';
  const flags = [permission, '--allow-fs-read=*', '--no-warnings'];
  const { code, stdout } = await run(process.execPath, [...flags, 'node_modules/furcate/dist/command.js', 'doctor']);
  expect(code).toBe(1);
  expect(stdout).toContain('--allow-worker');
});

test.each([
  [['help'], 0],
  [['--help'], 0],
  [[], 2],
  [['dokter'], 2],
  [['doctor', '--xml'], 2],
  [['doctor', 'now'], 2],
  [['view'], 2],
  [['view', '--help'], 0],
])('furcate %j prints how it is used, and ends with %i', async (args, expected) => {
  const { code, stdout, stderr } = await run(process.execPath, ['node_modules/furcate/dist/command.js', ...args]);
  expect(code).toBe(expected);
  expect(expected === 0 ? stdout : stderr).toMatch(/^Usage: furcate doctor/m);
});

test('doctor() is there for ES modules, and the process ends by itself', async () => {
  const program = "const { doctor } = await import('furcate/doctor'); console.log((await doctor()).ok);";
  const outcome = await run(process.execPath, ['--input-type=module', '-e', program]);
  expect(outcome).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
});

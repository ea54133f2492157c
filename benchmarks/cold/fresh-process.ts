/**
 * Runs the programs of `programs/` in fresh processes, with a build of the package or without; runs on the main thread.
 *
 * Each build gets a copy of the programs next to a `node_modules` that links to the build, so they find it as users' programs do.
 * They are plain JavaScript, and their processes have no TypeScript loader.
 */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Setup } from '../harness/benchmark.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('programs', import.meta.url));
const PROCESS_LIMIT_MS = 120_000;

/** What a process prints as JSON: the time of its work, or of each call. */
export interface Report<T = number> {
  readonly ms: T;
  readonly answer: number;
}

/** Runs a program in a fresh process. */
export type Program = <T = number>() => Promise<Report<T>>;

export interface Build {
  readonly name: string;
  /** A program of `programs/` that imports this build. */
  program(file: string, ...args: readonly string[]): Program;
}

function fresh(command: string, args: readonly string[]): Program {
  return async <T>() => {
    const { stdout } = await promisify(execFile)(command, [...args], { timeout: PROCESS_LIMIT_MS });
    return JSON.parse(stdout) as Report<T>;
  };
}

let folder: string | undefined;

/** A temporary folder, which is removed when the process ends. */
function scratch(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), 'furcate-cold-'));
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  folder = made;
  return made;
}

function buildOf(name: string, directory: string): Build {
  const place = join(scratch(), name);
  if (!existsSync(place)) {
    mkdirSync(join(place, 'node_modules'), { recursive: true });
    cpSync(PROGRAMS, place, { recursive: true });
    symlinkSync(directory, join(place, 'node_modules/furcate'), 'junction');
  }
  return { name, program: (file, ...args) => fresh(process.execPath, [join(place, file), ...args]) };
}

/** @throws Error when the directory holds no built package */
function checkPackage(directory: string): string {
  const manifest = join(directory, 'package.json');
  const isPackage =
    existsSync(manifest) && (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name === 'furcate';
  if (isPackage && existsSync(join(directory, 'dist'))) return directory;
  throw new Error(
    `--against ${directory}: this is not a built package. Give a directory with the package.json and the dist/ of Furcate.`,
  );
}

/** This build, and the build that `--against` names. */
export function builds({ against }: Setup): readonly Build[] {
  const ours = buildOf('ours', ROOT);
  return against === undefined ? [ours] : [ours, buildOf('against', checkPackage(resolve(against)))];
}

/** A program that does not import the library. */
export const bare = (file: string, ...args: readonly string[]): Program =>
  fresh(process.execPath, [join(PROGRAMS, file), ...args]);

let compiled: string | undefined | 'none';

/** The same workload in Java. Without a JDK, prints a line and returns undefined. */
export function java(workload: string): Program | undefined {
  if (compiled === undefined) {
    try {
      const classes = join(scratch(), 'java');
      execFileSync('javac', ['-d', classes, join(PROGRAMS, 'calls.java')], { stdio: ['ignore', 'ignore', 'inherit'] });
      compiled = classes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      compiled = 'none';
      console.log('There is no javac on this machine: Java is left out.');
    }
  }
  return compiled === 'none' ? undefined : fresh('java', ['-Xmx4g', '-cp', compiled, 'Calls', workload]);
}

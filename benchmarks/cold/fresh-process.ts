/**
 * The programs of `programs/`, run in fresh processes with one build of the package or another, or with none; runs on the
 * main thread.
 *
 * The programs are copied beside a `node_modules` that links to the build, so that each build is found as users' programs
 * find it. They are plain JavaScript, and no TypeScript loader is in their processes.
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

/** What a process prints, as JSON: the time of its one piece of work, or of each call. */
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

/** Ends with the process. */
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
    `--against ${directory}: that is no built package. Give a directory with the package.json and the dist/ of Furcate.`,
  );
}

/** This build, and the one that `--against` names. */
export function builds({ against }: Setup): readonly Build[] {
  const ours = buildOf('ours', ROOT);
  return against === undefined ? [ours] : [ours, buildOf('against', checkPackage(resolve(against)))];
}

/** A program that imports no build. */
export const bare = (file: string, ...args: readonly string[]): Program =>
  fresh(process.execPath, [join(PROGRAMS, file), ...args]);

let compiled: string | undefined | 'none';

/** The same workload in Java; undefined, and a line that says so, where there is no Java. */
export function java(workload: string): Program | undefined {
  if (compiled === undefined) {
    try {
      const classes = join(scratch(), 'java');
      execFileSync('javac', ['-d', classes, join(PROGRAMS, 'calls.java')], { stdio: ['ignore', 'ignore', 'inherit'] });
      compiled = classes;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      compiled = 'none';
      console.log('There is no javac on this machine: Java does not stand beside.');
    }
  }
  return compiled === 'none' ? undefined : fresh('java', ['-Xmx4g', '-cp', compiled, 'Calls', workload]);
}

/** The processes of a cluster's tests: a NATS server, hosts, and clients that a test may kill. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServer } from '../../scripts/nats-server.js';
import { STEP_HANG_MS } from '../helpers/limits.js';
import { ROOT } from '../helpers/project-files.js';

/** Where the tasks of the tests are. */
export const TASKS = join(ROOT, 'test/cluster/tasks.mjs');

/** A program that runs until it is ended. */
class Running {
  readonly process: ChildProcess;
  output = '';

  constructor(program: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, NODE_OPTIONS: '', ...environment };
    this.process = spawn(program, args, { cwd: ROOT, stdio: 'pipe', env });
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
  }

  /** Resolves once its output has a match. */
  async says(pattern: RegExp): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (how: string): void => reject(new Error(`it ${how} without ${pattern}:\n${this.output}`));
      const timer = setTimeout(() => fail('hangs'), STEP_HANG_MS);
      const look = (): void => {
        if (!pattern.test(this.output)) return;
        clearTimeout(timer);
        resolve();
      };
      for (const stream of [this.process.stdout, this.process.stderr]) stream?.on('data', look);
      this.process.once('exit', () => {
        clearTimeout(timer);
        fail('ended');
      });
      look();
    });
  }

  /** Its exit code when it ends by itself. */
  get ended(): Promise<number | null> {
    return new Promise((resolve) => this.process.once('exit', resolve));
  }

  /** Ends it. @returns its exit code; null where the signal has ended it */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const { process: child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    }
    return child.exitCode;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Resolves when the folder has as many entries that begin so. */
export async function entriesIn(folder: string, start: string, count: number): Promise<void> {
  const watching = watch(folder);
  while (readdirSync(folder).filter((name) => name.startsWith(start)).length < count) await once(watching, 'change');
  watching.close();
}

/** How a NATS server is started. */
interface ServerOptions {
  readonly hasJetStream?: boolean;
  /** Room for what it stores. */
  readonly storeBytes?: number;
  /** Of JetStream. */
  readonly domain?: string;
  /** Lines of its configuration. */
  readonly config?: string;
}

/** All that a test file runs; `end` ends it. */
export class Processes {
  readonly folder = mkdtempSync(join(tmpdir(), 'furcate-cluster-'));
  readonly #all: Running[] = [];
  #server: Running | undefined;
  #port = 0;

  /** A test that fails may not get to its `end`. */
  constructor() {
    process.once('exit', () => {
      for (const one of this.#all) one.process.kill('SIGKILL');
    });
  }

  newFolder(): string {
    return mkdtempSync(join(this.folder, 'test-'));
  }

  get nats(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** What its programs have said. */
  get outputs(): readonly string[] {
    return this.#all.map(({ output }) => output);
  }

  get serverPid(): number {
    return this.#server?.process.pid as number;
  }

  /** Starts the server, or starts it again with what it had stored. */
  async startServer({ hasJetStream = true, storeBytes, domain, config = '' }: ServerOptions = {}): Promise<void> {
    this.#port ||= await freePort();
    const room = storeBytes === undefined ? '' : `, max_file_store: ${storeBytes}`;
    const named = domain === undefined ? '' : `, domain: ${domain}`;
    const jetstream = hasJetStream ? `jetstream { store_dir: '${join(this.folder, 'store')}'${room}${named} }\n` : '';
    const file = join(this.folder, 'server.conf');
    writeFileSync(file, jetstream + config);
    this.#server = this.#keep(new Running(await natsServer(), ['-a', '127.0.0.1', '-p', `${this.#port}`, '-c', file]));
    await this.#server.says(/Server is ready/);
  }

  /** Resolves once the server's log has a match. */
  async serverSays(pattern: RegExp): Promise<void> {
    await this.#server?.says(pattern);
  }

  async endServer(signal?: NodeJS.Signals): Promise<void> {
    await this.#server?.end(signal);
  }

  /** Takes from a server that has ended what it had stored. */
  emptyStore(): void {
    rmSync(join(this.folder, 'store'), { recursive: true });
  }

  /** Takes from a server that has ended the messages of the jobs and their numbers; what it knows of consumers stays, as it may when the server is killed. */
  emptyStreamOfJobs(): void {
    rmSync(join(this.folder, 'store/jetstream/$G/streams/furcate-default-jobs/msgs'), { recursive: true });
  }

  /** Starts a host with one thread. */
  startHost(name: string, ...args: readonly string[]): Promise<Running> {
    return this.startHostOn({ runtime: process.execPath, module: TASKS }, name, ...args);
  }

  /** Starts a host on another Node, or with tasks that are at another place. */
  async startHostOn(
    { runtime, module }: { readonly runtime: string; readonly module: string },
    name: string,
    ...args: readonly string[]
  ): Promise<Running> {
    const program = join(ROOT, 'dist/clusterHost.js');
    const own = [module, '--nats', this.nats, '--name', name, '--parallelism', '1'];
    const host = this.#keep(new Running(runtime, [program, ...own, ...args]));
    await host.says(/is ready|"event":"ready"/);
    return host;
  }

  /** Starts a host with variables of its environment, which may say where the server is. */
  async startHostWith(environment: Readonly<Record<string, string>>, name: string, ...args: readonly string[]) {
    const server = 'NATS_URL' in environment ? [] : ['--nats', this.nats];
    const host = this.startHostProgram(environment, name, ...server, ...args);
    await host.says(/is ready/);
    return host;
  }

  /** The same, and does not wait until it is ready. */
  startHostProgram(environment: Readonly<Record<string, string>>, name: string, ...args: readonly string[]): Running {
    const own = [join(ROOT, 'dist/clusterHost.js'), TASKS, '--name', name, '--parallelism', '1'];
    return this.#keep(new Running(process.execPath, [...own, ...args], environment));
  }

  /** Runs a module of the tests as a program. */
  startProgram(file: string, ...args: readonly string[]): Running {
    return this.startNode(join(ROOT, 'test/cluster', file), this.nats, ...args);
  }

  startNode(...args: readonly string[]): Running {
    return this.start(process.execPath, ...args);
  }

  /** Runs a program, in the folder of the project. */
  start(program: string, ...args: readonly string[]): Running {
    return this.#keep(new Running(program, args));
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.end()));
    rmSync(this.folder, { recursive: true, force: true });
  }

  #keep(one: Running): Running {
    this.#all.push(one);
    return one;
  }
}

#!/usr/bin/env node
/**
 * The command `npx furcate`. `doctor`: prints what the doctor has found; the exit code is 0 if parallel calls run on threads here, and 1 if they do not. `view`:
 * makes a page of a recorded timeline. `top`: shows what pools do. Each command loads what it needs only when it is called.
 */
const USAGE = `Usage: furcate doctor [--json]
       furcate view <timeline>... [--output <page.html>] [--json <file>] [--no-open]
       furcate top [<pid>] [--once] [--json]

doctor   Tells whether parallel calls run on threads here, and what to do if they
         do not. The exit code is 0 if they do, 1 if they do not.
  --json             prints the report as JSON

view     Makes a page of a timeline that was recorded with FURCATE_TRACE=out.bin
         or the option trace of a pool, and opens it where there is a browser.
         It prints what the timeline says about the program. Several timelines,
         of the processes of a cluster, are put on one by their clocks.
  --output <page>    where the page is written; beside the timeline by default
  --json <file>      writes the timeline in Chrome's trace event format instead,
                     compressed if the name ends with .gz
  --no-open          opens no browser

top      Shows what the pools of processes do that were started with
         FURCATE_MONITOR=1, until q is pressed.
  <pid>              only of this process
  --once             prints one screen
  --json             prints numbers, once`;

/** Wrong words in the command. */
class WrongWords extends Error {}

type CommandValues = Readonly<Record<string, string | boolean | undefined>>;

/** A command: what it may be given, and what it does, which is the exit code. */
interface Command {
  readonly options: Readonly<Record<string, 'boolean' | 'string'>>;
  /** Number of words that follow it, at least and at most. */
  readonly words: readonly [least: number, most: number];
  run(words: readonly string[], values: CommandValues): Promise<number>;
}

function printed(text: string): Promise<void> {
  return new Promise((done) => process.stdout.write(`${text}\n`, () => done()));
}

/** A file beside this one, which no bundler is to take into it. */
const beside = <M>(file: string): Promise<M> => import(new URL(`./${file}`, import.meta.url).href) as Promise<M>;

const COMMANDS: Readonly<Record<string, Command>> = {
  doctor: {
    options: { json: 'boolean' },
    words: [0, 0],
    async run(_, { json }) {
      const { doctor, screenOf } = await import('furcate/doctor');
      const report = await doctor();
      const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
      await printed(json === true ? JSON.stringify(report, null, 2) : screenOf(report, { colours: hasColours }));
      return report.ok ? 0 : 1;
    },
  },
  view: {
    options: { output: 'string', json: 'string', 'no-open': 'boolean' },
    words: [1, Number.POSITIVE_INFINITY],
    async run(paths, values) {
      const { view } = await beside<typeof import('../insight/view/command-view.js')>('view.js');
      const [output, json] = [values['output'], values['json']] as (string | undefined)[];
      const lines = view(paths, { output, json, opens: values['no-open'] !== true });
      await printed(lines.join('\n'));
      return 0;
    },
  },
  top: {
    options: { once: 'boolean', json: 'boolean' },
    words: [0, 1],
    async run([pid], { once, json }) {
      if (pid !== undefined && !/^\d+$/.test(pid)) throw new WrongWords(`furcate: top: '${pid}' is no process id.`);
      const { top } = await beside<typeof import('./top.js')>('top.js');
      return top(
        { pid: pid === undefined ? undefined : Number(pid), once: once === true, json: json === true },
        printed,
      );
    },
  },
};

function parsed(name: string, args: readonly string[]): { words: string[]; values: CommandValues } {
  const { options, words } = COMMANDS[name] as Command;
  const types = Object.fromEntries(Object.entries(options).map(([option, type]) => [option, { type }]));
  try {
    const { positionals, values } = process
      .getBuiltinModule('node:util')
      .parseArgs({ args: [...args], options: types, allowPositionals: true });
    if (positionals.length < words[0]) throw new WrongWords(`furcate: ${name} takes the path of a timeline.`);
    if (positionals.length > words[1])
      throw new WrongWords(`furcate: ${name} does not know what to do with '${positionals[words[1]]}'.`);
    return { words: positionals, values: values as CommandValues };
  } catch (error) {
    throw error instanceof WrongWords ? error : new WrongWords(`furcate: ${name}: ${(error as Error).message}`);
  }
}

async function run([name, ...args]: readonly string[]): Promise<number> {
  if (['--help', '-h', 'help'].includes(name ?? '') || args.includes('--help')) {
    await printed(USAGE);
    return 0;
  }
  try {
    if (name === undefined) throw new WrongWords('furcate: which command?');
    if (!Object.hasOwn(COMMANDS, name)) throw new WrongWords(`furcate: there is no command '${name}'.`);
    const { words, values } = parsed(name, args);
    return await (COMMANDS[name] as Command).run(words, values);
  } catch (error) {
    if (error instanceof WrongWords) {
      console.error(`${error.message}\n\n${USAGE}`);
      return 2;
    }
    const { message } = error as Error;
    console.error(message.startsWith('furcate: ') ? message : `furcate: ${message}`);
    return 1;
  }
}

process.exit(await run(process.argv.slice(2))); // a thread that does not end keeps nobody waiting

/**
 * Runs the stress tests for a given time: `npm run stress -- --minutes 30`.
 *
 * Runs the scenarios and the generators in turn, each with a fresh seed and in a new process, until the time is up. After a failure, a crash or
 * a hang, it prints the command that repeats it, and exits with code 1 at the end. For a generator the command also makes the failure shorter
 * (`--shrink`); `--commands PATTERN` draws from some of the pool commands only. `--only 'pipelines,task graphs'` runs some of them.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GENERATORS } from '../test/stress/generators.js';
import { SCENARIOS, TINY_SCENARIOS } from '../test/stress/scenarios.js';

const RUN = fileURLToPath(new URL('../test/stress/run.ts', import.meta.url));

/** A scenario that takes this long hangs (ms). Usually, scenarios take seconds. A generator says itself which of its steps hangs; beside other work it may take minutes. */
const HANG_MS = 300_000;
const GENERATOR_HANG_MS = 1_800_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    only: { type: 'string' },
    seed: { type: 'string' },
    size: { type: 'string', default: '1' },
    tiny: { type: 'boolean' },
    shrink: { type: 'boolean' },
    commands: { type: 'string' },
  },
});

interface Round {
  readonly name: string;
  readonly seed: number;
  readonly tiny: boolean;
}

const commandOf = ({ name, seed, tiny }: Round): string =>
  `npm run stress -- --only '${name}' --seed ${seed} --size ${values.size}${tiny ? ' --tiny' : ''}${
    name in GENERATORS ? ' --shrink' : ''
  }`;

/** Runs a round; resolves to a description of its failure, or undefined. */
function play({ name, seed, tiny }: Round): Promise<string | undefined> {
  return new Promise((resolve) => {
    const args = ['--import', 'tsx', RUN, name, String(seed), values.size];
    if (tiny) args.push('--build', 'tiny');
    if (values.shrink) args.push('--shrink');
    if (values.commands !== undefined) args.push('--only', values.commands);
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
    let hangs = false;
    const hangMs = name in GENERATORS ? GENERATOR_HANG_MS : HANG_MS;
    const timer = setTimeout(() => {
      hangs = true;
      child.kill('SIGKILL');
    }, hangMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const how = hangs ? `did not end within ${hangMs / 1000} s` : `ended with ${signal ?? `exit code ${code}`}`;
      resolve(code === 0 ? undefined : `${how}\n${Buffer.concat(output).toString().trimEnd()}`);
    });
  });
}

function* rounds(): Generator<Round> {
  const known = [
    ...SCENARIOS.map(({ name }) => ({ name, tiny: false })),
    ...Object.keys(GENERATORS).map((name) => ({ name, tiny: false })),
    ...TINY_SCENARIOS.map(({ name }) => ({ name, tiny: true })),
  ];
  const only = values.only?.split(',');
  const wanted = known.filter(
    ({ name, tiny }) => (only === undefined || only.includes(name)) && (values.tiny !== true || tiny),
  );
  if (wanted.length === 0 || only?.some((name) => known.every((one) => one.name !== name)))
    throw new Error(`--only must be some of ${[...new Set(known.map(({ name }) => `'${name}'`))].join(', ')}`);
  if (values.seed !== undefined) {
    yield { ...(wanted[0] as { name: string; tiny: boolean }), seed: Number(values.seed) };
    return;
  }
  const untilMs = performance.now() + Number(values.minutes) * 60_000;
  for (let i = 0; performance.now() < untilMs; i++) {
    yield {
      ...(wanted[i % wanted.length] as { name: string; tiny: boolean }),
      seed: Math.floor(Math.random() * 2 ** 31),
    };
  }
}

let played = 0;
let failed = 0;
for (const round of rounds()) {
  const startedMs = performance.now();
  const problem = await play(round);
  played++;
  const what = `${round.name}${round.tiny ? ' (tiny)' : ''}, seed ${round.seed}`;
  if (problem === undefined) console.log(`ok      ${what}, ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  else {
    failed++;
    console.log(`FAILED  ${what}: it ${problem}\n        repeat: ${commandOf(round)}`);
  }
}
console.log(`${played} rounds, ${failed} failed`);
if (failed > 0) process.exitCode = 1;

#!/usr/bin/env node
/** `npx furcate doctor`: prints what the doctor has found. The exit code is 0 if parallel calls run on threads here, and 1 if they do not. */
import { doctor, screenOf } from 'furcate/doctor';

const USAGE = `Usage: furcate doctor [--json]

Tells whether parallel calls run on threads here, and what to do if they do not.

  --json   prints the report as JSON

The exit code is 0 if they do, 1 if they do not.`;

function printed(text: string): Promise<void> {
  return new Promise((done) => process.stdout.write(`${text}\n`, () => done()));
}

async function run(words: readonly string[]): Promise<number> {
  const [command, ...options] = words;
  if (command === '--help' || command === '-h' || command === 'help') {
    await printed(USAGE);
    return 0;
  }
  if (command !== 'doctor' || options.some((option) => option !== '--json')) {
    console.error(USAGE);
    return 2;
  }
  const report = await doctor();
  const hasColours = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  await printed(options.length > 0 ? JSON.stringify(report, null, 2) : screenOf(report, { colours: hasColours }));
  return report.ok ? 0 : 1;
}

process.exit(await run(process.argv.slice(2))); // a thread that does not end keeps nobody waiting

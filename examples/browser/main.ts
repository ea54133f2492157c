/** The program of `npm run example:browser`: builds the page and serves it on this machine, isolated unless told otherwise. */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPage } from './build.js';
import { PageServer } from './server.js';

const USAGE = `Usage: npm run example:browser -- [options]

Builds the page of the flights and serves it on localhost.

Options:
  --no-isolation   serve without the headers that shared memory needs: the page then runs on one thread, and says so
  --port N         the port to listen on (default: 8080; 0 for any that is free)
  --help           print this text`;

const OUT = fileURLToPath(new URL('./out', import.meta.url));
const EXIT_FAILED = 1;
const EXIT_WRONG_OPTION = 2;

interface Options {
  readonly isIsolated: boolean;
  readonly port: number;
  readonly help: boolean;
}

function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'no-isolation': { type: 'boolean', default: false },
      port: { type: 'string', default: '8080' },
      help: { type: 'boolean', default: false },
    },
  });
  const port = Number(values.port);
  if (values.port.trim() === '' || !Number.isInteger(port) || port < 0 || port > 0xffff)
    throw new RangeError(`--port needs a number from 0 to 65535, but got '${values.port}'.`);
  return { isIsolated: !values['no-isolation'], port, help: values.help };
}

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return EXIT_WRONG_OPTION;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  await buildPage(OUT);
  const server = new PageServer({ folder: OUT, isIsolated: options.isIsolated });
  try {
    console.log(`The flights are at ${await server.listen(options.port)}`);
  } catch (error) {
    console.error(`${(error as Error).message}\nGive another port: npm run example:browser -- --port 8081`);
    return EXIT_FAILED;
  }
  console.log(
    options.isIsolated
      ? 'The page is isolated: Furcate runs on all cores.'
      : 'The page is not isolated: Furcate runs on one thread.',
  );
  return 0;
}

process.exitCode = await main(process.argv.slice(2));

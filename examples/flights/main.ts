/** The program of `npm start`: parses the command line and runs the job; runs on the main thread. */
import { runJob } from './job.js';
import { type JobOptions, parseOptions, USAGE, UsageError } from './options.js';

const EXIT_FAILED = 1;
const EXIT_WRONG_OPTION = 2;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: JobOptions;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\n\n${USAGE}`);
    return EXIT_WRONG_OPTION;
  }
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  try {
    return await runJob(options);
  } catch (error) {
    console.error(error);
    return EXIT_FAILED;
  }
}

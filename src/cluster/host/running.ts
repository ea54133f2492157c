/** A job that a host runs. */
import type { JobName } from '../link/names.js';
import type { JobMessage } from './job-message.js';
import type { JobVoice } from './job-voice.js';
import type { Piecework } from './piecework.js';

export interface RunningJob {
  /** As it was delivered last. */
  job: JobMessage;
  readonly name: JobName;
  readonly voice: JobVoice;
  readonly controller: AbortController;
  readonly startedMs: number;
  /** The stream that it is of, and the connection by which it came. */
  stream: string;
  readonly connection: number;
  /** True if the host may have lost its lease. */
  isDoubtful: boolean;
  /** True once it has computed: a job of the same name that comes now is that of a later call, or finds the result. */
  hasEnded: boolean;
  /** Runs the job, where it can be shared. */
  pieces: Piecework | undefined;
}

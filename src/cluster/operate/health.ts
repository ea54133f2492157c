/** Whether the host in this process lives, and whether it takes jobs: for the probes of Kubernetes. */
import { listen } from '../host/host-events.js';

export interface Health {
  readonly state: 'starting' | 'ready' | 'without server' | 'ending' | 'ended';
  readonly host: string | undefined;
  /** Jobs that it has. */
  readonly jobs: number;
}

/** Follows the events of the one host in this process. @returns gives its health */
export function watchHealth(): () => Health {
  let host: string | undefined;
  let stage: 'starting' | 'ready' | 'ending' | 'ended' = 'starting';
  let hasServer = true;
  let jobs = 0;
  listen((name, event) => {
    host = event.host;
    if (name === 'ready' || name === 'ending' || name === 'ended') stage = name;
    if (name === 'server-gone') hasServer = false;
    if (name === 'server-back' || name === 'ready') hasServer = true;
    if (name === 'job-begun') jobs++;
    else if (name.startsWith('job-')) jobs--;
  });
  return () => ({ state: stage === 'ready' && !hasServer ? 'without server' : stage, host, jobs });
}

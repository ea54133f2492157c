/** Models start no workers. */
export const workerSource = '';

/** The text of the library's own worker, which the build writes in; empty where the library runs from its sources. */
declare const __FURCATE_WORKER_SOURCE__: string | undefined;

export const workerSource: string = typeof __FURCATE_WORKER_SOURCE__ === 'string' ? __FURCATE_WORKER_SOURCE__ : '';

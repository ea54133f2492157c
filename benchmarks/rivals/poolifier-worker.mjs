import { ThreadWorker } from 'poolifier';
import { part } from './parts.mjs';

export default new ThreadWorker({ next: (n) => n + 1, part });

import { ThreadWorker } from 'poolifier';

export default new ThreadWorker((n) => n + 1);

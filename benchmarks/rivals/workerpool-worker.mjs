import workerpool from 'workerpool';
import { part } from './parts.mjs';

workerpool.worker({ next: (n) => n + 1, part });

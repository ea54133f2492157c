// furcate-setup.mjs
import { ForkJoinPool } from 'furcate';

ForkJoinPool.configureCommonPool({ parallelism: 2, keepAliveMs: 1_000, preload: ['furcate/tsx'] });

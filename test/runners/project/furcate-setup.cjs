// As furcate-setup.mjs, for tests in CommonJS.
const { ForkJoinPool } = require('furcate');

ForkJoinPool.configureCommonPool({ parallelism: 2, keepAliveMs: 1_000, preload: ['furcate/tsx'] });

/**
 * Puts the simulated core (simulated-core.ts) in the place of the core's modules. A test file imports this before all else, so that no module of
 * the source is there yet.
 */
import { vi } from 'vitest';

vi.mock('../../src/core/pool/call.js', async () => (await import('./simulated-core.js')).call);
vi.mock('../../src/core/job/job.js', async () => (await import('./simulated-core.js')).job);
vi.mock('../../src/core/worker/checkpoint.js', async () => (await import('./simulated-core.js')).checkpoints);
vi.mock('../../src/core/task/function-task.js', async () => (await import('./simulated-core.js')).functionTask);
vi.mock('../../src/algorithms/schedule/ranges.js', async (original) =>
  (await import('./simulated-core.js')).ranges(original as never),
);

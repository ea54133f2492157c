import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parallelSort, parallelSortSync } from '../../../src/algorithms/sort.js';
import { sharedArray } from '../../../src/core/memory/shared-array.js';
import { arrayOf, bitsOf, offsetView, TYPES, typedArrays } from '../../helpers/array-values.js';
import { reset } from '../../helpers/simulated-core.js';

vi.mock('../../../src/core/pool/call.js', async () => (await import('../../helpers/simulated-core.js')).call);
vi.mock('../../../src/core/worker/job.js', async () => (await import('../../helpers/simulated-core.js')).job);
vi.mock(
  '../../../src/core/worker/checkpoint.js',
  async () => (await import('../../helpers/simulated-core.js')).checkpoints,
);
vi.mock(
  '../../../src/core/task/function-task.js',
  async () => (await import('../../helpers/simulated-core.js')).functionTask,
);

beforeEach(() => reset());

it('x', () => { expect(1).toBe(1); });

/**
 * What an invocation carries (`carried`): on the owner it becomes a block, which the root's record names, and each thread that asks for it opens a
 * copy. Without workers it is kept by the name of the invocation.
 */
import type { ControlMemory } from '../../core/memory/control.js';
import { type Giver, headAt, newBlockOf, openBlock, packed } from './block.js';
import { newName } from './here.js';

const CARRY: Giver = {
  value: 'options.carry',
  noRoom: 'the shared heap has no room for options.carry. Carry less: a few numbers and strings, or shared arrays.',
};

/** Numbers the blocks of this owner, so that a worker tells a block from an earlier one at the same place. */
let made = 0;
const WORD = 2 ** 32;

export function carry(memory: ControlMemory, value: unknown): { block: number; codes: ReadonlySet<number> } {
  const carry = newBlockOf(memory, value, CARRY);
  const head = headAt(carry.block);
  made++;
  head[0] = made % WORD; // plain, as all of the block: published with the root
  head[3] = Math.floor(made / WORD);
  return carry;
}

/** What this thread has opened last. */
let latest:
  | { readonly block: number; readonly low: number; readonly high: number; readonly value: unknown }
  | undefined;

export function carried(block: number): unknown {
  const [low, , , high] = headAt(block) as unknown as [number, number, number, number]; // plain: see `carry`
  if (latest?.block !== block || latest.low !== low || latest.high !== high)
    latest = { block, low, high, value: openBlock(block) };
  return latest.value;
}

const here = new Map<number, unknown>();

export function carryHere(value: unknown, invocation = newName()): { invocation: number; end(): void } {
  here.set(invocation, packed(value, CARRY).open()[0]);
  return { invocation, end: () => void here.delete(invocation) };
}

export const carriedHere = (invocation: number): unknown => here.get(invocation);

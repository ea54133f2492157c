/**
 * The value that an invocation carries (`carried`): on the owner it becomes a block, which the root's record names, and each thread that asks for it opens a
 * copy. Without workers it is kept by the name of the invocation.
 */
import type { ControlMemory } from '../../core/memory/control.js';
import { type Giver, newBlockOf, numberOf, openBlock, packed, setNumber } from './block.js';
import { newName } from './here.js';

const CARRY: Giver = {
  value: 'options.carry',
  noRoom: 'the shared heap has no room for options.carry. Carry less: a few numbers and strings, or shared arrays.',
};

/** Numbers the blocks of this owner, so that a worker tells a block from an earlier one at the same place. */
let made = 0;

export function carry(memory: ControlMemory, value: unknown): { block: number; codes: ReadonlySet<number> } {
  const carry = newBlockOf(memory, value, CARRY);
  setNumber(carry.block, ++made);
  return carry;
}

/** The value that this thread has opened last, and the number of its block. */
let latest: { readonly number: number; readonly value: unknown } | undefined;

export function carried(block: number): unknown {
  const number = numberOf(block);
  if (latest?.number !== number) latest = { number, value: openBlock(block) };
  return latest.value;
}

const here = new Map<number, unknown>();

export function carryHere(value: unknown, invocation = newName()): { invocation: number; end(): void } {
  const [copy] = packed(value, CARRY).open();
  here.set(invocation, copy);
  return { invocation, end: () => void here.delete(invocation) };
}

export const carriedHere = (invocation: number): unknown => here.get(invocation);

/**
 * Reports of a model: a report of k, from 1 to 5, is block k. The last eight words of a model's memory are free for its threads; word k of
 * them links block k.
 */
import type { Seam } from '../seam.js';

declare const __seam: Seam;

const FREE_WORDS = 8;
const all = (): Int32Array => new Int32Array(__seam.buffer);
const wordOf = (block: number): number => all().length - FREE_WORDS + block;

export const newBlockOf = (_memory: unknown, block: number): { block: number } => ({ block });
export const openBlock = (block: number): number => block;

// No model carries values.
export const packed = (): never[] => [];
export const setNumber = (): void => {};
export const numberOf = (): number => 0;
export const link = (block: number, next: number): void => void __seam.write(all(), wordOf(block), next);
export const nextOf = (block: number): number => __seam.read(all(), wordOf(block));

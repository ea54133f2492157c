/**
 * AssemblyScript: the named operations on elements and on vectors, decided when the kernels are compiled; runs on every thread.
 *
 * Addresses are byte offsets in the shared heap and may lie above 2 GiB; the end of an array may be at 4 GiB, which is 0.
 * So loops compare addresses by `!=` only. SIMD loads need no alignment.
 */

export const SUM = 0;
export const PRODUCT = 1;
export const MIN = 2;
export const MAX = 3;
export const AND = 4;
export const OR = 5;
export const XOR = 6;

/** Elements t and t + 1, as doubles. */
@inline
export function pairAt<T>(p: usize): v128 {
  if (isFloat<T>()) {
    if (sizeof<T>() == 8) return v128.load(p);
    return f64x2.promote_low_f32x4(v128.load_zero<u64>(p));
  }
  if (sizeof<T>() == 4) return v128.convert_low<T>(v128.load_zero<u64>(p));
  if (sizeof<T>() == 2) return f64x2.convert_low_i32x4_s(v128.extend_low<T>(v128.load_zero<u32>(p)));
  return f64x2.replace_lane(f64x2.splat(<f64>load<T>(p)), 1, <f64>load<T>(p, 1));
}

/** Two elements combined; the extremes of floats as Math.min and Math.max have them. */
@inline
export function combine<T>(a: T, b: T, op: i32): T {
  if (op == SUM) return a + b;
  if (op == PRODUCT) return a * b;
  if (isFloat<T>()) return op == MIN ? min<T>(a, b) : max<T>(a, b);
  if (op == MIN) return select<T>(a, b, a < b);
  if (op == MAX) return select<T>(a, b, a > b);
  return op == AND ? a & b : op == OR ? a | b : a ^ b;
}

/** Two vectors combined: of floats by sums, products and extremes, of integers by extremes and bits. */
@inline
export function combineLanes<T>(a: v128, b: v128, op: i32): v128 {
  if (op == AND) return v128.and(a, b);
  if (op == OR) return v128.or(a, b);
  if (op == XOR) return v128.xor(a, b);
  if (isFloat<T>()) {
    if (op == SUM) return v128.add<T>(a, b);
    if (op == PRODUCT) return v128.mul<T>(a, b);
  }
  if (isFloat<T>() || sizeof<T>() < 8) return op == MIN ? v128.min<T>(a, b) : v128.max<T>(a, b);
  // There is no minimum of 64-bit lanes; unsigned ones compare with their sign bits flipped.
  const flip = i64x2.splat(isSigned<T>() ? 0 : i64.MIN_VALUE);
  const aIsGreater = i64x2.gt_s(v128.xor(a, flip), v128.xor(b, flip));
  return op == MIN ? v128.bitselect(b, a, aIsGreater) : v128.bitselect(a, b, aIsGreater);
}

/**
 * AssemblyScript: what differs between element types, decided when the kernels are compiled; runs on every thread.
 *
 * Addresses are byte offsets in the shared heap and may lie above 2 GiB; the end of an array may be at 4 GiB, which is 0.
 * So loops compare addresses by `!=` only. SIMD loads need no alignment.
 */

/** Elements t and t + 1, as doubles. */
@inline
export function pairAt<T>(p: usize): v128 {
  if (isFloat<T>()) {
    if (sizeof<T>() == 8) return v128.load(p);
    return f64x2.promote_low_f32x4(v128.load_zero<u64>(p));
  }
  if (sizeof<T>() == 4) {
    const four = v128.load_zero<u64>(p);
    return isSigned<T>() ? f64x2.convert_low_i32x4_s(four) : f64x2.convert_low_i32x4_u(four);
  }
  if (sizeof<T>() == 2) {
    const four = v128.load_zero<u32>(p);
    if (isSigned<T>()) return f64x2.convert_low_i32x4_s(i32x4.extend_low_i16x8_s(four));
    return f64x2.convert_low_i32x4_s(i32x4.extend_low_i16x8_u(four));
  }
  return f64x2.replace_lane(f64x2.splat(<f64>load<T>(p)), 1, <f64>load<T>(p, 1));
}

/** The smaller of two elements; of floats as Math.min has it. */
@inline
export function lesser<T>(a: T, b: T): T {
  if (isFloat<T>()) return min<T>(a, b);
  return select<T>(a, b, a < b);
}

/** The larger of two elements; of floats as Math.max has it. */
@inline
export function greater<T>(a: T, b: T): T {
  if (isFloat<T>()) return max<T>(a, b);
  return select<T>(a, b, a > b);
}

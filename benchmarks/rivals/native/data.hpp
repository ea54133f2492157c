// Shared inputs and timing for the C++ anchors: the same generator and output form as the other languages.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

struct Xorshift32 {
  uint32_t x = 42;
  uint32_t next() { x ^= x << 13; x ^= x >> 17; x ^= x << 5; return x; }
};
inline std::vector<uint32_t> random_u32(size_t n) { Xorshift32 g; std::vector<uint32_t> v(n); for (auto& e : v) e = g.next(); return v; }
inline std::vector<double> random_f64(size_t n) {
  Xorshift32 g; std::vector<double> v(n);
  for (auto& e : v) { double hi = g.next() >> 5, lo = g.next() >> 6; e = (hi * 67108864.0 + lo) / 9007199254740992.0; }
  return v;
}
inline std::vector<double> ramp(size_t n) { std::vector<double> v(n); for (size_t i = 0; i < n; i++) v[i] = (i % 1000) * 0.5; return v; }
inline void mandelbrot_row(int* out, int w, int h, int y) {
  for (int x = 0; x < w; x++) {
    double cr = -2 + 3.0 * x / w, ci = -1 + 2.0 * y / h, a = 0, b = 0; int k = 0;
    while (k < 200 && a * a + b * b < 4) { double t = a * a - b * b + cr; b = 2 * a * b + ci; a = t; k++; }
    out[y * w + x] = k;
  }
}
template <class Prepare, class Run>
void measure(const char* system, const char* workload, int threads, Prepare prepare, Run run, int reps = 7) {
  std::vector<double> t; double check = 0;
  prepare(); run();
  for (int i = 0; i < reps; i++) {
    prepare(); auto s = std::chrono::steady_clock::now(); check = (double)run();
    t.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - s).count());
  }
  std::sort(t.begin(), t.end());
  std::printf("{\"system\":\"%s\",\"workload\":\"%s\",\"threads\":%d,\"median_ms\":%.3f,\"spread\":%.3f,\"check\":%.0f}\n", system, workload, threads, t[reps / 2], (t[reps * 3 / 4] - t[reps / 4]) / t[reps / 2], check);
  std::fflush(stdout);
}

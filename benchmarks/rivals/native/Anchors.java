import java.util.*;
import java.util.concurrent.*;

public class Anchors {
  static final class Fib extends RecursiveTask<Integer> {
    final int n;
    Fib(int n) { this.n = n; }
    protected Integer compute() {
      if (n < 2) return n;
      Fib left = new Fib(n - 1);
      left.fork();
      int right = new Fib(n - 2).compute();
      return left.join() + right;
    }
  }
  static final class Queens extends RecursiveTask<Integer> {
    final int n, row, cols, down, up;
    Queens(int n, int row, int cols, int down, int up) { this.n = n; this.row = row; this.cols = cols; this.down = down; this.up = up; }
    protected Integer compute() {
      if (row == n) return 1;
      ArrayList<Queens> forked = new ArrayList<>();
      int free = ((1 << n) - 1) & ~(cols | down | up), count = 0;
      while (free != 0) {
        int bit = free & -free;
        free -= bit;
        Queens t = new Queens(n, row + 1, cols | bit, (down | bit) << 1, (up | bit) >> 1);
        t.fork();
        forked.add(t);
      }
      for (int i = forked.size() - 1; i >= 0; i--) count += forked.get(i).join();
      return count;
    }
  }
  static final class Sum extends RecursiveTask<Double> {
    final double[] a; final int lo, hi;
    Sum(double[] a, int lo, int hi) { this.a = a; this.lo = lo; this.hi = hi; }
    protected Double compute() {
      if (hi - lo <= 32768) { double s = 0; for (int i = lo; i < hi; i++) s += a[i]; return s; }
      int mid = (lo + hi) >>> 1;
      Sum left = new Sum(a, lo, mid);
      left.fork();
      double right = new Sum(a, mid, hi).compute();
      return left.join() + right;
    }
  }
  static final class Mandelbrot extends RecursiveAction {
    final int[] out; final int w, h, y0, y1;
    Mandelbrot(int[] out, int w, int h, int y0, int y1) { this.out = out; this.w = w; this.h = h; this.y0 = y0; this.y1 = y1; }
    protected void compute() {
      if (y1 - y0 <= 4) {
        for (int y = y0; y < y1; y++) for (int x = 0; x < w; x++) {
          double cr = -2 + 3.0 * x / w, ci = -1 + 2.0 * y / h, a = 0, b = 0;
          int k = 0;
          while (k < 200 && a * a + b * b < 4) { double t = a * a - b * b + cr; b = 2 * a * b + ci; a = t; k++; }
          out[y * w + x] = k;
        }
        return;
      }
      int mid = (y0 + y1) >>> 1;
      Mandelbrot left = new Mandelbrot(out, w, h, y0, mid);
      left.fork();
      new Mandelbrot(out, w, h, mid, y1).compute();
      left.join();
    }
  }
  interface Prepare { void run(); }
  interface Run { double run(); }
  static void measure(String workload, int threads, int reps, Prepare prepare, Run run) {
    double[] t = new double[reps];
    double check = 0;
    for (int i = 0; i < 3; i++) { prepare.run(); run.run(); }
    for (int i = 0; i < reps; i++) { prepare.run(); long s = System.nanoTime(); check = run.run(); t[i] = (System.nanoTime() - s) / 1e6; }
    Arrays.sort(t);
    System.out.printf(Locale.ROOT, "{\"system\":\"java\",\"workload\":\"%s\",\"threads\":%d,\"median_ms\":%.3f,\"spread\":%.3f,\"check\":%.0f}%n", workload, threads, t[reps / 2], (t[reps * 3 / 4] - t[reps / 4]) / t[reps / 2], check);
  }
  static int state = 42;
  static int next() { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return state; }
  public static void main(String[] args) throws Exception {
    int n = 10_000_000, w = 1500, h = 1000;
    double[] sums = new double[50_000_000];
    for (int i = 0; i < sums.length; i++) sums[i] = (i % 1000) * 0.5;
    int[] out = new int[w * h];
    for (int p : new int[] {1, 2}) {
      ForkJoinPool pool = new ForkJoinPool(p);
      measure("fork-join", p, 9, () -> {}, () -> pool.invoke(new Fib(32)));
      measure("queens", p, 9, () -> {}, () -> pool.invoke(new Queens(11, 0, 0, 0, 0)));
      measure("mandelbrot", p, 7, () -> {}, () -> { pool.invoke(new Mandelbrot(out, w, h, 0, h)); long s = 0; for (int x : out) s += x; return s; });
      measure("sum", p, 9, () -> {}, () -> pool.invoke(new Sum(sums, 0, sums.length)));
      pool.shutdown();
    }
    // The common pool runs with parallelism 2 (run.sh sets it): the caller helps, so this is at most what two cores give.
    state = 42;
    double[] f64 = new double[n];
    for (int i = 0; i < n; i++) { double hi = next() >>> 5, lo = next() >>> 6; f64[i] = (hi * 67108864.0 + lo) / 9007199254740992.0; }
    double[] fs = new double[n];
    measure("sort-f64", 2, 5, () -> System.arraycopy(f64, 0, fs, 0, n), () -> { Arrays.parallelSort(fs); return fs[n / 2] * 1e9; });
    measure("scan", 2, 5, () -> System.arraycopy(f64, 0, fs, 0, n), () -> { Arrays.parallelPrefix(fs, Double::sum); return fs[n - 1]; });
  }
}

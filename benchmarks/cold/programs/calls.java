// Does a workload forty times with Java's ForkJoinPool, in a fresh process. The first call makes the pool. Data and answers are
// those of workloads.mjs.
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

class Calls {
  static final int CALLS = 40, STEP = 997, TEN_MILLION = 10_000_000, LEAF = 32_768;
  static ForkJoinPool made;

  static ForkJoinPool pool() {
    if (made == null) made = new ForkJoinPool(2);
    return made;
  }

  interface Body { void run(int lo, int hi); }

  static final class Loop extends RecursiveAction {
    final int lo, hi; final Body body;
    Loop(int lo, int hi, Body body) { this.lo = lo; this.hi = hi; this.body = body; }
    protected void compute() {
      if (hi - lo <= LEAF) { body.run(lo, hi); return; }
      int middle = (lo + hi) >>> 1;
      Loop left = new Loop(lo, middle, body);
      left.fork();
      new Loop(middle, hi, body).compute();
      left.join();
    }
  }

  static final class Sum extends RecursiveTask<Double> {
    final double[] xs; final int lo, hi;
    Sum(double[] xs, int lo, int hi) { this.xs = xs; this.lo = lo; this.hi = hi; }
    protected Double compute() {
      if (hi - lo <= LEAF) { double sum = 0; for (int i = lo; i < hi; i++) sum += xs[i]; return sum; }
      int middle = (lo + hi) >>> 1;
      Sum left = new Sum(xs, lo, middle);
      left.fork();
      double right = new Sum(xs, middle, hi).compute();
      return left.join() + right;
    }
  }

  static final class Histogram extends RecursiveTask<int[]> {
    final int[] xs; final int lo, hi;
    Histogram(int[] xs, int lo, int hi) { this.xs = xs; this.lo = lo; this.hi = hi; }
    protected int[] compute() {
      if (hi - lo <= LEAF) { int[] counts = new int[256]; for (int i = lo; i < hi; i++) counts[xs[i] >>> 24]++; return counts; }
      int middle = (lo + hi) >>> 1;
      Histogram left = new Histogram(xs, lo, middle);
      left.fork();
      int[] right = new Histogram(xs, middle, hi).compute(), counts = left.join();
      for (int bin = 0; bin < 256; bin++) counts[bin] += right[bin];
      return counts;
    }
  }

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

  interface Call<T> { T run() throws Exception; }
  interface Answer<T> { double of(T result); }

  static <T> void time(Runnable prepare, Call<T> call, Answer<T> answer) throws Exception {
    double[] ms = new double[CALLS];
    double first = 0;
    for (int k = 0; k < CALLS; k++) {
      prepare.run();
      long start = System.nanoTime();
      T result = call.run();
      ms[k] = (System.nanoTime() - start) / 1e6;
      double seen = answer.of(result);
      if (k == 0) first = seen;
      if (seen != first) throw new Exception("Call " + (k + 1) + " answered " + seen + "; the first call answered " + first);
    }
    System.out.println("{\"ms\":" + Arrays.toString(ms) + ",\"answer\":" + first + "}");
  }

  static double sampleSum(double[] xs) {
    double sum = xs.length;
    for (int i = xs.length - 1; i >= 0; i -= STEP) sum += xs[i];
    return sum;
  }

  static double takeSample(double[] xs) {
    double sum = sampleSum(xs);
    for (int i = xs.length - 1; i >= 0; i -= STEP) xs[i] = -1;
    return sum;
  }

  static double[] ramp(int n) {
    double[] xs = new double[n];
    for (int i = 0; i < n; i++) xs[i] = (i % 1000) * 0.5;
    return xs;
  }

  static int state = 42;
  static int next() { state ^= state << 13; state ^= state >>> 17; state ^= state << 5; return state; }

  static double[] randomKeys() {
    double[] xs = new double[TEN_MILLION];
    for (int i = 0; i < xs.length; i++) { double high = next() >>> 5; xs[i] = (high * 67108864.0 + (next() >>> 6)) / 9007199254740992.0; }
    return xs;
  }

  static int[] randomWords() {
    int[] xs = new int[TEN_MILLION];
    for (int i = 0; i < xs.length; i++) xs[i] = next();
    return xs;
  }

  public static void main(String[] args) throws Exception {
    Runnable nothing = () -> {};
    switch (args[0]) {
      case "sum" -> {
        double[] xs = ramp(5 * TEN_MILLION);
        time(nothing, () -> pool().invoke(new Sum(xs, 0, xs.length)), sum -> sum);
      }
      case "scan" -> { // in place: Java has no other parallel scan
        double[] xs = ramp(TEN_MILLION), out = new double[TEN_MILLION];
        time(() -> System.arraycopy(xs, 0, out, 0, xs.length),
            () -> { pool().submit(() -> Arrays.parallelPrefix(out, Double::sum)).get(); return out; }, Calls::takeSample);
      }
      case "map" -> {
        double[] xs = ramp(TEN_MILLION), out = new double[TEN_MILLION];
        Body body = (lo, hi) -> { for (int i = lo; i < hi; i++) out[i] = xs[i] * 2 + 1; };
        time(nothing, () -> { pool().invoke(new Loop(0, xs.length, body)); return out; }, Calls::takeSample);
      }
      case "filter" -> {
        double[] xs = randomKeys();
        time(nothing, () -> pool().submit(() -> DoubleStream.of(xs).parallel().filter(x -> x < 0.5).toArray()).get(), Calls::sampleSum);
      }
      case "histogram" -> {
        int[] xs = randomWords();
        time(nothing, () -> pool().invoke(new Histogram(xs, 0, xs.length)), counts -> {
          double sum = 0;
          for (int bin = 0; bin < 256; bin++) sum += (double) counts[bin] * (bin + 1);
          return sum;
        });
      }
      case "fib" -> time(nothing, () -> pool().invoke(new Fib(32)), n -> n);
      case "sort" -> {
        double[] keys = randomKeys(), xs = new double[TEN_MILLION];
        time(() -> System.arraycopy(keys, 0, xs, 0, keys.length),
            () -> { pool().submit(() -> Arrays.parallelSort(xs)).get(); return xs; }, Calls::sampleSum);
      }
      default -> throw new Exception("no such workload: " + args[0]);
    }
  }
}

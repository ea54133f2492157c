use rayon::prelude::*;
use std::cell::RefCell;
use std::time::Instant;

fn fib(n: u32) -> u32 {
    if n < 2 { return n; }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn queens(n: u32, row: u32, cols: u32, down: u32, up: u32) -> u32 {
    if row == n { return 1; }
    let mut free = ((1u32 << n) - 1) & !(cols | down | up);
    let mut bits = Vec::new();
    while free != 0 { let bit = free & free.wrapping_neg(); free -= bit; bits.push(bit); }
    bits.par_iter().with_max_len(1).map(|&b| queens(n, row + 1, cols | b, (down | b) << 1, (up | b) >> 1)).sum()
}

fn mandelbrot_row(out: &mut [i32], w: usize, h: usize, y: usize) {
    for x in 0..w {
        let (cr, ci) = (-2.0 + 3.0 * x as f64 / w as f64, -1.0 + 2.0 * y as f64 / h as f64);
        let (mut a, mut b, mut k) = (0.0f64, 0.0f64, 0);
        while k < 200 && a * a + b * b < 4.0 { let t = a * a - b * b + cr; b = 2.0 * a * b + ci; a = t; k += 1; }
        out[x] = k;
    }
}

fn measure<G: FnMut(), F: FnMut() -> f64>(workload: &str, threads: usize, reps: usize, mut prepare: G, mut run: F) {
    let mut check = 0.0;
    prepare(); run();
    let mut t: Vec<f64> = (0..reps).map(|_| { prepare(); let s = Instant::now(); check = run(); s.elapsed().as_secs_f64() * 1e3 }).collect();
    t.sort_by(|a, b| a.partial_cmp(b).unwrap());
    println!("{{\"system\":\"rayon\",\"workload\":\"{}\",\"threads\":{},\"median_ms\":{:.3},\"spread\":{:.3},\"check\":{:.0}}}", workload, threads, t[reps / 2], (t[reps * 3 / 4] - t[reps / 4]) / t[reps / 2], check);
}

struct Xorshift32(u32);
impl Xorshift32 {
    fn next(&mut self) -> u32 { self.0 ^= self.0 << 13; self.0 ^= self.0 >> 17; self.0 ^= self.0 << 5; self.0 }
}

fn main() {
    let n = 10_000_000usize;
    let mut g = Xorshift32(42);
    let u32s: Vec<u32> = (0..n).map(|_| g.next()).collect();
    let mut g = Xorshift32(42);
    let f64s: Vec<f64> = (0..n).map(|_| { let hi = (g.next() >> 5) as f64; let lo = (g.next() >> 6) as f64; (hi * 67108864.0 + lo) / 9007199254740992.0 }).collect();
    let sums: Vec<f64> = (0..50_000_000usize).map(|i| (i % 1000) as f64 * 0.5).collect();
    let (w, h) = (1500usize, 1000usize);
    for p in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(p).build().unwrap();
        pool.install(|| {
            measure("fork-join", p, 7, || {}, || fib(32) as f64);
            measure("queens", p, 7, || {}, || queens(11, 0, 0, 0, 0) as f64);
            let out = RefCell::new(vec![0i32; w * h]);
            measure("mandelbrot", p, 7, || {}, || { let mut o = out.borrow_mut(); o.par_chunks_mut(w).enumerate().for_each(|(y, row)| mandelbrot_row(row, w, h, y)); o.iter().map(|&x| x as f64).sum() });
            measure("sum", p, 7, || {}, || sums.par_iter().sum::<f64>());
            measure("filter", p, 7, || {}, || f64s.par_iter().filter(|x| **x < 0.5).cloned().collect::<Vec<f64>>().len() as f64);
            measure("histogram", p, 7, || {}, || u32s.par_chunks(65536).fold(|| vec![0u32; 256], |mut h, c| { for x in c { h[(x >> 24) as usize] += 1; } h }).reduce(|| vec![0u32; 256], |mut a, b| { for i in 0..256 { a[i] += b[i]; } a })[0] as f64);
            let fs = RefCell::new(f64s.clone());
            measure("sort-f64", p, 5, || fs.borrow_mut().copy_from_slice(&f64s), || { let mut v = fs.borrow_mut(); v.par_sort_unstable_by(|a, b| a.partial_cmp(b).unwrap()); v[n / 2] * 1e9 });
            let us = RefCell::new(u32s.clone());
            measure("sort-u32", p, 5, || us.borrow_mut().copy_from_slice(&u32s), || { let mut v = us.borrow_mut(); v.par_sort_unstable(); v[n / 2] as f64 });
        });
    }
}

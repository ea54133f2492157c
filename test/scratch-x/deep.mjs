import { ForkJoinPool, SequentialExecutor } from 'furcate';
import * as j from '../fixtures/joining.mjs';
const [p, checked, form, fn, ...args] = process.argv.slice(2);
const pool = p === '0' ? new SequentialExecutor() : new ForkJoinPool({ parallelism: +p, checked: checked === 'checked' });
const t = performance.now();
const times = 5;
for (let i = 0; i < times; i++) {
  const f = j[fn];
  const a = args.map((x) => (Number.isNaN(+x) ? x : +x));
  try {
    const r = form === 'sync' ? pool.invokeSync(f, ...a) : await pool.invoke(f, ...a);
    console.log(JSON.stringify(r), (performance.now() - t).toFixed(0));
  } catch (e) { console.log(e.name, e.message.slice(0, 150), (performance.now() - t).toFixed(0)); }
}
console.log('closing'); await pool.close?.(); console.log('closed');

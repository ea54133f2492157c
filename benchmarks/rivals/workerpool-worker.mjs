import workerpool from 'workerpool';

workerpool.worker({ next: (n) => n + 1 });

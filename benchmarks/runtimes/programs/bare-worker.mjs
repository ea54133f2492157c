// A worker without a library: it sums a part of an array for each message. A message that names no array comes back as it is.
const port = typeof self === 'undefined' ? (await import('node:worker_threads')).parentPort : self;
const sumOf = ({ buffer, from, to }) => {
  const xs = new Float64Array(buffer);
  let sum = 0;
  for (let i = from; i < to; i++) sum += xs[i];
  return sum;
};
const answer = (message) => port.postMessage(message === 0 ? 0 : sumOf(message));
if (typeof self === 'undefined') port.on('message', answer);
else self.onmessage = ({ data }) => answer(data);
port.postMessage('ready');

// A call that takes as long as its value says. It uses nothing of its module, because it also travels as text.
export const crunch = ({ id, rounds }) => {
  let hash = id;
  for (let i = 0; i < rounds; i++) hash = (Math.imul(hash, 1664525) + 1013904223) | 0;
  return { id, odd: (hash & 1) === 1 };
};

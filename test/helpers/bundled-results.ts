/** What the program of test/package/fixtures/bundled-app prints, wherever it runs. */
export const BUNDLED_RESULTS = {
  task: 6765,
  fork: 6765,
  async: 20,
  inline: 199_800_000,
  forkable: 66_566_700_000,
  values: [1, 2, 3],
  error: '3 is too large',
  sorted: 999,
};

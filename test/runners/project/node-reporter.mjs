// Reports what node:test has run in the form in which Jest and vitest do.
export default async function* report(events) {
  const assertionResults = [];
  let coveredLines = 0;
  for await (const { type, data } of events) {
    if (type === 'test:coverage') coveredLines = data.summary.totals.coveredLineCount;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const failureMessages = type === 'test:fail' ? [String(data.details.error)] : [];
    assertionResults.push({ fullName: data.name, failureMessages });
  }
  const testResults = [{ message: '', assertionResults }];
  yield JSON.stringify({ numTotalTests: assertionResults.length, coveredLines, testResults });
}

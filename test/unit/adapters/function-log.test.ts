import { logGroupLines } from '../../../src/adapters/aws-account.ts';
import { logsClient } from '../../../src/adapters/aws-clients.ts';
import { FakeAwsServices } from '../../fakes/aws-services.ts';

const LINES = ['{"code":"timeout"}', '{"code":"timeout_2"}', '{"timeout":"code"}', 'code timeout'];
const SINCE = new Date('2026-03-04T05:06:07Z');

/** Returns the lines that are found among those that CloudWatch returns, and the filter that it gets. */
async function search(containing: string | undefined) {
  const aws = new FakeAwsServices();
  aws.on('FilterLogEvents', {}, { events: LINES.map((message) => ({ timestamp: 0, message: `${message}\n` })) });
  const found: string[] = [];
  for await (const { text } of logGroupLines(logsClient(aws.access()), 'group', {
    since: SINCE,
    searchedText: containing,
  }))
    found.push(text);
  return { found, calls: aws.callsOf('FilterLogEvents') };
}

// CloudWatch finds the lines that have all terms, in any order. A term in quotes cannot have a quote.
test.each([
  ['code', '"code"', LINES],
  ['"code":"timeout"', '"code" ":" "timeout"', LINES.slice(0, 1)],
  ['code timeout', '"code timeout"', LINES.slice(3)],
  ['"', undefined, LINES.slice(0, 3)],
  [undefined, undefined, LINES],
])('a search for %s finds the lines that contain it as written', async (containing, filterPattern, lines) => {
  const { found, calls } = await search(containing);
  expect(found).toEqual(lines);
  expect(calls).toEqual([{ logGroupName: 'group', startTime: SINCE.getTime(), filterPattern }]);
});

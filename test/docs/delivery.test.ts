import { FAILURE_CODES } from '../../src/contract/delivery-record.ts';
import { isRetried } from '../../src/domain/delivery/deliver-event.ts';
import { readDocument, tableRows } from './documents.ts';

test('docs/delivery.md has every failure code, and says which are retried', () => {
  const head = '| Code | What happened | Event Actions retry | What the customer can do |';
  const rows = tableRows(readDocument('docs/delivery.md'), head).slice(1);
  const retried = (code: (typeof FAILURE_CODES)[number]) => {
    if (code === 'http_status') return '408, 429 and 5xx only';
    return isRetried({ code, status: null }) ? 'yes' : 'no';
  };
  expect(rows.map(([code, , retry]) => [code, retry])).toEqual(
    FAILURE_CODES.map((code) => [`\`${code}\``, retried(code)]),
  );
});

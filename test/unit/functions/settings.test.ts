import { ENVIRONMENT } from '../../../src/deployment/environment.ts';
import { traceId } from '../../../src/functions/settings.ts';

const ID = '1-5759e988-bd862e3fe1be46a994272793';
const traced = (header: string) => traceId({ [ENVIRONMENT.tracing]: 'true', _X_AMZN_TRACE_ID: header });

test('reads the id of the trace', () => {
  expect(traced(`Root=${ID};Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a87bd80c:0`)).toBe(ID);
  expect(traced(`Sampled=0;Root=${ID}`)).toBe(ID);
});

test.each(['', 'Root=', 'Root=2-5759e988', `Parent=${ID}`, `Root=${ID}x`])('finds no id in %j', (header) => {
  expect(traced(header)).toBeUndefined();
});

test('without tracing there is no id, although Lambda sets the header', () => {
  expect(traceId({ _X_AMZN_TRACE_ID: `Root=${ID}` })).toBeUndefined();
  expect(traceId({ [ENVIRONMENT.tracing]: 'true' })).toBeUndefined();
});

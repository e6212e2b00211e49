import { json } from 'node:stream/consumers';
import { startServer } from '../../harness/server.ts';

export type Meter = {
  /** The number of calls by operation. A write that shares a call counts as a call, because DynamoDB bills each write. */
  readonly calls: Readonly<Record<string, number>>;
  /** The units that DynamoDB bills: 4 KB for a strongly consistent read, 1 KB for a write. */
  readonly reads: number;
  readonly writes: number;
  /** How often DynamoDB was called while no other call to it was in flight. */
  readonly roundTrips: number;
  /** The bodies of the messages that were sent to SQS. */
  readonly sent: readonly string[];
};

type Capacity = { readonly CapacityUnits?: number };

const WRITES = new Set([
  'PutItem',
  'UpdateItem',
  'DeleteItem',
  'TransactWriteItems',
  'BatchWriteItem',
  'BatchExecuteStatement',
]);

function operationsOf(operation: string, input: { readonly Statements?: readonly { readonly Statement: string }[] }) {
  if (operation !== 'BatchExecuteStatement') return [operation];
  return (input.Statements ?? []).map(({ Statement }) => (Statement.startsWith('INSERT') ? 'PutItem' : 'UpdateItem'));
}

/**
 * Starts a proxy in front of DynamoDB and the fakes of the other services. It counts a function's calls. DynamoDB reports the units
 * of each call.
 */
export async function startMeteredServices(dynamo: string, others: string) {
  let calls: Record<string, number> = {};
  let [reads, writes, roundTrips, inFlight] = [0, 0, 0, 0];
  let sent: string[] = [];
  const { origin, stop } = await startServer(async (request, response) => {
    const [api = '', operation = ''] = String(request.headers['x-amz-target']).split('.');
    const isDynamo = api.startsWith('DynamoDB');
    if (isDynamo && inFlight++ === 0) roundTrips += 1;
    const input = Object(await json(request));
    for (const name of operationsOf(operation, input)) calls[name] = (calls[name] ?? 0) + 1;
    for (const { MessageBody } of input.Entries ?? []) if (MessageBody !== undefined) sent.push(MessageBody);
    const answer = await fetch(isDynamo ? dynamo : others, {
      method: 'POST',
      headers: {
        'content-type': String(request.headers['content-type']),
        'x-amz-target': String(request.headers['x-amz-target']),
        authorization: String(request.headers.authorization),
        'x-amz-date': String(request.headers['x-amz-date']),
      },
      body: JSON.stringify(isDynamo ? { ...input, ReturnConsumedCapacity: 'TOTAL' } : input),
    });
    const text = await answer.text();
    const consumed: Capacity | readonly Capacity[] = JSON.parse(text).ConsumedCapacity ?? [];
    const units = [consumed].flat().reduce((all, { CapacityUnits = 0 }) => all + CapacityUnits, 0);
    if (isDynamo && units === 0) throw new Error(`DynamoDB does not report the units of ${operation}`);
    if (WRITES.has(operation)) writes += units;
    else reads += units;
    if (isDynamo) inFlight -= 1;
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  });
  return {
    origin,
    /** Returns what was counted since the last call. */
    take: (): Meter => {
      const meter = { calls, reads, writes, roundTrips, sent };
      [calls, reads, writes, roundTrips, sent] = [{}, 0, 0, 0, []];
      return meter;
    },
    stop,
  };
}

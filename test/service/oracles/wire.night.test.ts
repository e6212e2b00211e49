import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { startLocalCloud } from '../../../local/local-cloud.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { localService } from '../acceptance/local-service.ts';
import { operatorOf } from '../acceptance/operator.ts';
import { startReceiver } from '../acceptance/receiver.ts';
import { prepare, STEPS } from '../acceptance/scenario.ts';
import { pythonPackages, testWithCode } from './installed.ts';

const BOTOCORE = pythonPackages('botocore', 'botocore', 'regex');

type RecordedCall = {
  readonly service: string;
  readonly target: string;
  readonly path: string;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
};

/** Returns what AWS's Python client and its models say against recorded calls and their answers, and how many calls of each operation there are. */
function judge(calls: readonly RecordedCall[]) {
  const said = execFileSync(join(BOTOCORE.folder, 'bin/python'), [join(import.meta.dirname, 'wire.py')], {
    input: calls.map((call) => JSON.stringify(call)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const numbers = z.record(z.string(), z.number());
  return z.object({ counts: numbers, problems: numbers }).parse(JSON.parse(said));
}

const testWithBotocore = testWithCode(BOTOCORE, 'botocore');

testWithBotocore(
  'AWS takes every call of the scenario, and answers what the local cloud answers',
  async () => {
    const calls: RecordedCall[] = [];
    const receiver = await startReceiver();
    const assembly = await serviceAssembly();
    const cloud = await startLocalCloud({
      data: temporaryFolder(),
      assembly,
      authorities: [receiver.authorityFile],
      onCall: (service, { headers, path, body }, { status, body: answer }) =>
        calls.push({
          ...{ service, path, status, target: headers['x-amz-target']?.split('.').at(-1) ?? '' },
          ...{ body: body.toString(), answer: String(answer) },
        }),
    });
    try {
      const operator = operatorOf(cloud);
      const prepared = await prepare(operator, receiver);
      const system = { operator, service: localService(cloud, assembly), receiver, prepared };
      for (const step of Object.values(STEPS)) await step(system);
    } finally {
      await cloud.stop();
      await receiver.stop();
    }
    const { counts, problems } = judge(calls);
    console.log(`${calls.length} calls`, counts);
    expect(Object.keys(counts).length).toBeGreaterThan(15);
    expect(problems).toEqual({});
  },
  10 * 60_000,
);

const call = (service: string, target: string, parameters: object, answer: object = {}): RecordedCall => ({
  ...{ service, target, path: '/', status: 200 },
  ...{ body: JSON.stringify(parameters), answer: JSON.stringify(answer) },
});
const batch = (Entry: object) =>
  call('sqs', 'SendMessageBatch', { QueueUrl: 'q', Entries: [Entry] }, { Successful: [], Failed: [] });
const put = (Item: object) => call('dynamodb', 'PutItem', { TableName: 'table', Item });

describe('it finds', () => {
  testWithBotocore.each([
    ['a parameter that does not exist', batch({ Id: 'a', MessageBody: 'x', Delay: 1 }), 'Delay'],
    ['a type', batch({ Id: 'a', MessageBody: 1 }), 'MessageBody'],
    ['a missing parameter', batch({ Id: 'a' }), 'MessageBody'],
    ['a number above the maximum', call('dynamodb', 'Query', { TableName: 'table', Limit: 0 }), 'Limit'],
    ['a pattern', call('cognito-idp', 'AdminGetUser', { UserPoolId: 'us-east-1_x', Username: 'a b' }), 'Username'],
    ['an empty set', put({ id: { S: 'x' }, all: { SS: [] } }), 'empty set'],
    ['too many digits', put({ id: { S: 'x' }, number: { N: '1'.repeat(39) } }), 'digits'],
    ['an item of more than 400 KB', put({ id: { S: 'x'.repeat(409_599) } }), 'bytes'],
    [
      'a value of an expression that nothing uses',
      call('dynamodb', 'Query', {
        TableName: 'table',
        KeyConditionExpression: 'a = :a',
        ExpressionAttributeValues: { ':b': { S: '' } },
      }),
      'differ',
    ],
    [
      'an answer that AWS does not give',
      call('sqs', 'SendMessage', { QueueUrl: 'q', MessageBody: 'x' }, { Id: 'x' }),
      'answer',
    ],
  ])('%s', (_, recorded, word) => {
    expect(Object.keys(judge([recorded]).problems).join()).toContain(word);
  });
});

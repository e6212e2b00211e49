import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from '../../cli/connection.ts';
import { failureOf } from '../../cli/exit-codes.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';
import { startServer } from '../harness/server.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const folder = temporaryFolder();
const before = { ...process.env };
/** What CloudFormation answers, and what it was asked. */
let answer: { readonly status: number; readonly body: string };
let asked: string[] = [];
const cloudFormation = await startServer(async (request, response) => {
  const region = /\/([a-z0-9-]+)\/cloudformation\//.exec(request.headers.authorization ?? '')?.[1];
  asked.push(`${region} ${await text(request)}`);
  response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
});

beforeAll(async () => {
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.origin,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
  });
});
beforeEach(() => {
  asked = [];
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x', AWS_REGION: 'eu-west-1' });
});
afterAll(() => {
  process.env = before;
  cloudFormation.stop();
});

const stackWith = (outputs: readonly string[], status = 'UPDATE_COMPLETE'): typeof answer => {
  const members = outputs.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the-${name}</OutputValue></member>`,
  );
  const state = `<StackStatus>${status}</StackStatus>`;
  const stack = `<member><StackName>VaWave</StackName>${state}<Outputs>${members.join('')}</Outputs></member>`;
  const result = `<DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult>`;
  return { status: 200, body: `<DescribeStacksResponse>${result}</DescribeStacksResponse>` };
};
const errorWith = (status: number, code: string, message: string): typeof answer => {
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, body: `<ErrorResponse>${error}</ErrorResponse>` };
};
const ALL = Object.values(OUTPUTS);

const failureToConnect = async (target: Parameters<typeof connect>[0]) => {
  const failure = await connect(target).then(() => undefined, failureOf);
  return [failure?.exitCode, failure?.message];
};

test('finds a deployment by the outputs of its stack', async () => {
  answer = stackWith(ALL);
  expect(await connect({})).toMatchObject({ baseUrl: 'the-BaseUrl' });
  await connect({ stack: 'Other', region: 'us-west-2' });
  expect(asked).toEqual([
    expect.stringMatching(/^eu-west-1 .*StackName=VaWave/),
    expect.stringMatching(/^us-west-2 .*StackName=Other/),
  ]);
});

test('finds one construct among others in a stack by its path', async () => {
  answer = stackWith(['AppName', ...ALL.map((name) => `TeamChat${name}0A1B2C3D`)]);
  expect(await connect({ stack: 'Platform/Team/Chat' })).toMatchObject({ baseUrl: 'the-TeamChatBaseUrl0A1B2C3D' });
  expect(asked.at(-1)).toMatch(/StackName=Platform$/);
  const elsewhere =
    'the stack has Platform/TeamChat. Name it with --stack <stack>, or --stack <stack>/<id> for a construct';
  for (const stack of ['Platform', 'Platform/Chat']) {
    expect(await failureToConnect({ stack })).toEqual([3, `There is no va-wave at ${stack}: ${elsewhere}`]);
  }
});

const EARLIER = stackWith(ALL.filter((name) => name !== OUTPUTS.eventBus));
test.each([
  [EARLIER, 1, 'The stack has no output EventBus: deploy this version of va-wave first'],
  [errorWith(400, 'ValidationError', 'X does not exist'), 3, 'stack: there is no stack X in this account and region'],
  [errorWith(403, 'AccessDenied', 'Not you'), 1, 'AccessDenied: Not you'],
  [stackWith(['AppName']), 3, expect.stringContaining('There is no va-wave at X: the stack has none. Name it')],
  [stackWith([], 'ROLLBACK_COMPLETE'), 3, 'stack: X is not deployed: its state is ROLLBACK_COMPLETE'],
  [stackWith([], 'CREATE_IN_PROGRESS'), 3, 'stack: X is not deployed: its state is CREATE_IN_PROGRESS'],
])('reports the answer %j with exit code %i', async (answered, code, message) => {
  answer = answered;
  expect(await failureToConnect({ stack: 'X' })).toEqual([code, message]);
});

test.each([
  [['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'], /^No AWS credentials: .*--local/],
  [['AWS_REGION'], /^No AWS region: give --region/],
])('reports that %j are missing, and makes no call', async (names, message) => {
  for (const name of names) delete process.env[name];
  expect(await failureToConnect({})).toEqual([1, expect.stringMatching(message)]);
  expect(asked).toEqual([]);
});

test('refuses --local with --stack, a missing ready file, and a file that is not a ready file', async () => {
  expect(await failureToConnect({ local: '', stack: 'X' })).toEqual([2, '--local and --stack exclude each other']);
  const local = join(folder, 'ready.json');
  expect(await failureToConnect({ local })).toEqual([3, expect.stringContaining(`no ready file at ${local}`)]);
  for (const content of ['', '{}', '{"outputs": 1}']) {
    writeFileSync(local, content);
    expect(await failureToConnect({ local })).toEqual([1, `${local} is not a ready file of the one-machine service`]);
  }
});

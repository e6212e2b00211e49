import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../cli/connection.ts';
import { failureOf } from '../../cli/exit-codes.ts';
import { OUTPUTS } from '../../src/deployment/outputs.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-cli-'));
const before = { ...process.env };
let cloudFormation: Server;
/** Starts a server that answers the next requests. */
let answer: { readonly status: number; readonly body: string };
let asked: string[] = [];

beforeAll(async () => {
  cloudFormation = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(`${/\/([a-z0-9-]+)\/cloudformation\//.exec(request.headers.authorization ?? '')?.[1]} ${body}`);
    response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
  });
  await new Promise<void>((resolve) => cloudFormation.listen(0, '127.0.0.1', resolve));
  const address = cloudFormation.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDFORMATION: `http://127.0.0.1:${port}`,
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
  cloudFormation.close();
  rmSync(folder, { recursive: true });
});

function stackWith(outputs: readonly string[]): typeof answer {
  const members = outputs.map(
    (name) => `<member><OutputKey>${name}</OutputKey><OutputValue>the-${name}</OutputValue></member>`,
  );
  const stack = `<member><StackName>VaWave</StackName><Outputs>${members.join('')}</Outputs></member>`;
  return {
    status: 200,
    body: `<DescribeStacksResponse><DescribeStacksResult><Stacks>${stack}</Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  };
}

const failureToConnect = async (target: Parameters<typeof connect>[0]) => {
  try {
    await connect(target);
  } catch (error) {
    const { message, exitCode } = failureOf(error);
    return [exitCode, message];
  }
  throw new Error('It connected');
};

test('finds a deployment by the outputs of its stack', async () => {
  answer = stackWith(Object.values(OUTPUTS));
  expect(await connect({})).toMatchObject({ baseUrl: 'the-BaseUrl' });
  await connect({ stack: 'Other', region: 'us-west-2' });
  expect(asked).toEqual([
    expect.stringMatching(/^eu-west-1 .*StackName=VaWave/),
    expect.stringMatching(/^us-west-2 .*StackName=Other/),
  ]);
});

test('reports a stack of an earlier version, which lacks an output', async () => {
  answer = stackWith(Object.values(OUTPUTS).filter((name) => name !== OUTPUTS.eventBus));
  expect(await failureToConnect({})).toEqual([
    1,
    'The stack has no output EventBus: deploy this version of va-wave first',
  ]);
});

test('names a stack that does not exist', async () => {
  const error = '<Error><Code>ValidationError</Code><Message>Stack with id Nope does not exist</Message></Error>';
  answer = { status: 400, body: `<ErrorResponse>${error}</ErrorResponse>` };
  expect(await failureToConnect({ stack: 'Nope' })).toEqual([
    3,
    'stack: there is no stack Nope in this account and region',
  ]);
});

test('reports another error of CloudFormation unchanged', async () => {
  const error = '<Error><Code>AccessDenied</Code><Message>Not you</Message></Error>';
  answer = { status: 403, body: `<ErrorResponse>${error}</ErrorResponse>` };
  expect(await failureToConnect({})).toEqual([1, 'AccessDenied: Not you']);
});

test('reports missing credentials in one message, and makes no call', async () => {
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
  expect(await failureToConnect({})).toEqual([1, expect.stringMatching(/^No AWS credentials: .*--local/)]);
  expect(asked).toEqual([]);
});

test('reports a missing region', async () => {
  delete process.env.AWS_REGION;
  expect(await failureToConnect({})).toEqual([1, expect.stringMatching(/^No AWS region: give --region/)]);
});

test('refuses a missing ready file and a file that is not a ready file', async () => {
  const missing = join(folder, 'missing.json');
  expect(await failureToConnect({ local: missing })).toEqual([
    3,
    expect.stringContaining(`no ready file at ${missing}`),
  ]);
  for (const text of ['', '{}', '{"outputs": 1}']) {
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, text);
    expect(await failureToConnect({ local: broken })).toEqual([
      1,
      `${broken} is not a ready file of the one-machine service`,
    ]);
  }
});

test('refuses --local together with --stack', async () => {
  expect(await failureToConnect({ local: '', stack: 'X' })).toEqual([2, '--local and --stack exclude each other']);
});

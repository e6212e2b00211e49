import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, readAccountState } from '../../../cli/connection.ts';
import { commandFailureOf } from '../../../cli/exit-codes.ts';
import { receiverCertificate } from '../../../local/certificates.ts';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { restoreEnvironmentAfterEach } from '../../harness/environment.ts';
import { originOf, startServer } from '../../harness/server.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';

const folder = temporaryFolder();
restoreEnvironmentAfterEach();
/** What CloudFormation answers, and what it was asked. */
let answer: { readonly status: number; readonly body: string };
let asked: string[] = [];
const cloudFormation = await startServer(async (request, response) => {
  const region = /\/([a-z0-9-]+)\/cloudformation\//.exec(request.headers.authorization ?? '')?.[1];
  asked.push(`${region} ${await text(request)}`);
  response.writeHead(answer.status, { 'content-type': 'text/xml' }).end(answer.body);
});

const CALLER = 'arn:aws:sts::111122223333:assumed-role/Ops/ada';
const securityTokens = await startServer((_, response) => {
  const result = `<GetCallerIdentityResult><Arn>${CALLER}</Arn></GetCallerIdentityResult>`;
  response.writeHead(200, { 'content-type': 'text/xml' });
  response.end(`<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`);
});

/** Where a proxy was asked to connect to. It connects nowhere. */
let tunnels: string[] = [];
const proxy = createServer().on('connect', ({ url = '' }, socket) => {
  tunnels.push(url);
  socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
});
const proxyOrigin = await originOf(proxy);

/** A proxy that connects, and CloudFormation over TLS with a certificate that no public authority has signed. */
const throughOrigin = await originOf(
  createServer().on('connect', ({ url = '' }, socket) => {
    const [host, port] = url.split(':');
    const upstream = connectTcp(Number(port), host);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    upstream.pipe(socket).pipe(upstream);
    tunnels.push(url);
  }),
);
const authority = receiverCertificate(folder);
const secureOrigin = await originOf(
  createSecureServer({ cert: authority.certificate, key: authority.key }, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/xml' }).end(stackWith(ALL).body);
  }),
);

/** Sets the variables of AWS and of proxies, and no other ones. */
function shell(more: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (/^AWS_|_PROXY$/i.test(name)) delete process.env[name];
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.origin,
    AWS_ENDPOINT_URL_STS: securityTokens.origin,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: join(folder, 'none'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none'),
    ...more,
  });
}
beforeEach(() => {
  asked = [];
  tunnels = [];
  shell({ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x', AWS_REGION: 'eu-west-1' });
});
afterAll(() => {
  cloudFormation.stop();
  securityTokens.stop();
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
  const failure = await connect(target).then(() => undefined, commandFailureOf);
  return [failure?.exitCode, failure?.message];
};

test('finds a deployment by the outputs of its stack', async () => {
  answer = stackWith(ALL);
  const author = { kind: 'operator', arn: CALLER };
  expect(await connect({})).toMatchObject({ baseUrl: 'the-BaseUrl', author });
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

test('asks STS once, and connects without its answer', async () => {
  answer = stackWith(ALL);
  let requests = 0;
  const { origin, stop } = await startServer((_, response) => {
    requests++;
    response.writeHead(503).end();
  });
  process.env.AWS_ENDPOINT_URL_STS = origin;
  const deployment = await connect({});
  stop();
  expect(deployment).toMatchObject({ baseUrl: 'the-BaseUrl' });
  expect(() => deployment.author.arn).toThrow();
  expect(requests).toBe(1);
});

describe('as the command lines of AWS and of the CDK do in the same shell', () => {
  const KEYS = 'aws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = x\n';
  const PROFILES = `[default]
region = ap-south-1
${KEYS}
[profile other]
region = sa-east-1
${KEYS}
[profile admin]
role_arn = arn:aws:iam::111122223333:role/Admin
source_profile = other
[profile code]
role_arn = arn:aws:iam::111122223333:role/Admin
source_profile = other
mfa_serial = arn:aws:iam::111122223333:mfa/ada`;
  // The SDK reads a file once.
  const AWS_CONFIG_FILE = join(folder, 'profiles');
  beforeAll(() => writeFileSync(AWS_CONFIG_FILE, PROFILES));

  test.each([
    [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-3' }, {}, 'eu-west-1'],
    [{ AWS_DEFAULT_REGION: 'eu-west-3' }, {}, 'eu-west-3'],
    [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-3', AWS_PROFILE: 'other' }, {}, 'eu-west-3'],
    [{ AWS_PROFILE: 'other' }, {}, 'sa-east-1'],
    [{ AWS_DEFAULT_REGION: '' }, {}, 'ap-south-1'],
    [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-3' }, { region: 'us-west-2' }, 'us-west-2'],
  ])('%j and %j mean the region %s', async (environment, target, region) => {
    answer = stackWith(ALL);
    shell({ AWS_CONFIG_FILE, ...environment });
    await connect(target);
    expect(asked).toEqual([expect.stringMatching(`^${region} `)]);
  });

  test.each([
    [{ AWS_PROFILE: 'other' }, ['cloudformation.sa-east-1.amazonaws.com:443', 'sts.sa-east-1.amazonaws.com:443']],
    // A role is assumed through the proxy too.
    [{ AWS_PROFILE: 'admin', AWS_REGION: 'eu-west-1' }, [expect.stringMatching(/^sts\..*amazonaws\.com:443$/)]],
  ])('%j calls through HTTPS_PROXY, and both services at once', async (environment, hosts) => {
    shell({ AWS_CONFIG_FILE, ...environment, HTTPS_PROXY: proxyOrigin });
    delete process.env.AWS_ENDPOINT_URL_CLOUDFORMATION;
    delete process.env.AWS_ENDPOINT_URL_STS;
    await connect({}).catch(() => {});
    expect([...new Set(tunnels)].sort()).toEqual(hosts);
  });

  test('a host of NO_PROXY is called directly', async () => {
    answer = stackWith(ALL);
    const proxies = { HTTP_PROXY: proxyOrigin, HTTPS_PROXY: proxyOrigin, NO_PROXY: '127.0.0.1' };
    shell({ AWS_CONFIG_FILE, AWS_PROFILE: 'other', ...proxies });
    await connect({});
    expect([asked.length, tunnels]).toEqual([1, []]);
  });

  test.each([
    [{ AWS_PROFILE: 'typo' }, /^No AWS region: .* let AWS_PROFILE name a profile with a region/],
    [
      { AWS_PROFILE: 'typo', AWS_REGION: 'eu-west-1' },
      /^No AWS credentials: .*aws sts get-caller-identity shows what a profile gives/,
    ],
  ])('%j says what is wrong', async (environment, message) => {
    shell({ AWS_CONFIG_FILE, ...environment });
    expect(await failureToConnect({})).toEqual([1, expect.stringMatching(message)]);
  });
});

test('a profile with an MFA device is asked for its code once', async () => {
  const config = join(folder, 'mfa');
  const device = 'arn:aws:iam::111122223333:mfa/ada';
  writeFileSync(
    config,
    `[profile ops]\nrole_arn = arn:aws:iam::111122223333:role/Ops\nsource_profile = keys\nmfa_serial = ${device}\n[profile keys]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = x\n`,
  );
  shell({ AWS_CONFIG_FILE: config, AWS_PROFILE: 'ops', AWS_REGION: 'eu-west-1' });
  process.env.AWS_ENDPOINT_URL_STS = cloudFormation.origin;
  const keys = '<AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>';
  const credentials = `<Credentials>${keys}<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials>`;
  const assumed = `<AssumeRoleResult>${credentials}</AssumeRoleResult>`;
  const { body } = stackWith(ALL);
  // One server answers both services, and each reads its own part.
  answer = { status: 200, body: body.replace('<DescribeStacksResult>', `${assumed}<DescribeStacksResult>`) };
  const devices: string[] = [];
  const deployment = await connect({}, async (serial) => {
    devices.push(serial);
    return '123456';
  });
  expect(deployment).toMatchObject({ baseUrl: 'the-BaseUrl' });
  expect(devices).toEqual([device]);
  const [first, ...others] = asked;
  expect(first).toMatch(/Action=AssumeRole.*TokenCode=123456/);
  expect(others.sort()).toEqual([
    expect.stringMatching(/Action=DescribeStacks/),
    expect.stringMatching(/Action=GetCallerIdentity/),
  ]);
});

test('trusts the authorities of AWS_CA_BUNDLE, also behind a proxy', async () => {
  const { port } = new URL(secureOrigin);
  process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = `https://localhost:${port}`;
  expect(await failureToConnect({})).toEqual([1, expect.stringMatching(/self-signed/)]);
  process.env.AWS_CA_BUNDLE = authority.certificateFile;
  expect(await connect({})).toMatchObject({ baseUrl: 'the-BaseUrl' });
  process.env.HTTPS_PROXY = throughOrigin;
  expect(await connect({})).toMatchObject({ baseUrl: 'the-BaseUrl' });
  expect(tunnels).toEqual([`localhost:${port}`]);
});

const EARLIER = stackWith(ALL.filter((name) => name !== OUTPUTS.eventBus));
test.each([
  [
    EARLIER,
    1,
    'The stack has no output EventBus: deploy this version of va-wave, or use the command line of the deployed version the-Version',
  ],
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

test.each([
  ['AccessDeniedException', { concurrency: undefined, tableWriteUnits: undefined }],
  ['ExpiredTokenException', 'The AWS credentials have expired: log in again'],
])('a quota that is refused with %s gives %j', async (name, expected) => {
  answer = stackWith(ALL);
  const { origin, stop } = await startServer((_, response) => {
    response.writeHead(400, { 'x-amzn-errortype': name }).end(`{"__type":"${name}"}`);
  });
  const keys = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'x', AWS_REGION: 'eu-west-1' };
  shell({ ...keys, AWS_ENDPOINT_URL: origin });
  const facts = await readAccountState({}, 'CDKToolkit', async () => '').catch(
    (error: unknown) => commandFailureOf(error).message,
  );
  stop();
  if (typeof expected === 'string') expect(facts).toBe(expected);
  else expect(facts).toMatchObject(expected);
});

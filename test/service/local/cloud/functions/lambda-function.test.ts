import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { awsTransport } from '../../../../../local/aws-transport.ts';
import { Authorizer } from '../../../../../local/cloud/access/authorizer.ts';
import type { PolicyStatement } from '../../../../../local/cloud/access/policies.ts';
import type { InvocationResult } from '../../../../../local/cloud/functions/execution-environment.ts';
import {
  INVOCATIONS_AT_ONCE,
  type LambdaFunction,
  lambdaFunction,
} from '../../../../../local/cloud/functions/lambda-function.ts';
import { temporaryFolder } from '../../../../harness/temporary-folder.ts';
import { until } from '../../../../harness/until.ts';

/** Does as the event says. An invocation with a `name` says at the door that it runs, and ends when its name is called there. */
const CODE = `
import { BroadcastChannel, threadId } from 'node:worker_threads';
import { awsTransport } from ${JSON.stringify(new URL('../../../../../local/aws-transport.ts', import.meta.url))};
const waiting = new Map();
const door = new BroadcastChannel('door');
door.onmessage = ({ data }) => waiting.get(data.released)?.();
let running = 0;
const transport = awsTransport({ requestTimeout: 50 });
export const handler = async ({ name, ends, wait_ms, held, call }) => {
  running += 1;
  try {
    if (name !== undefined) {
      const asked = new Promise((resolve) => waiting.set(name, resolve));
      door.postMessage({ name });
      await asked;
    }
    if (call !== undefined) {
      const { response } = await transport.handle(call);
      return { ...response, body: Buffer.from(response.body).toString() };
    }
    if (ends === 'throw') throw new TypeError('as asked');
    if (ends === 'exit') process.exit(3);
    if (ends === 'reject') void Promise.reject(new Error('not caught'));
    // Blocks the thread, and uses no processor.
    if (ends === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (ends === 'hang') await new Promise(() => {});
    if (wait_ms !== undefined) await new Promise((resolve) => setTimeout(resolve, wait_ms));
    return { threadId, running, name, held: held?.length };
  } finally {
    running -= 1;
  }
};`;

const ANYONE: PolicyStatement = {
  Effect: 'Allow',
  Principal: { AWS: '*' },
  Action: ['sts:AssumeRole'],
  Condition: {},
};

const folder = temporaryFolder();
writeFileSync(join(folder, 'index.mjs'), CODE);
const functions: LambdaFunction[] = [];
const door = new BroadcastChannel('door');
/** The invocations that have come to the door, in their order. */
let names: string[] = [];
door.onmessage = (event) => {
  const { name } = Object(Object(event).data);
  if (name !== undefined) names.push(String(name));
};

afterEach(() => Promise.all(functions.splice(0).map((one) => one.stop())));
afterEach(() => void import.meta.jest.useRealTimers());
afterAll(() => door.close());

function start({ timeout = 10, memory = 128 } = {}): LambdaFunction {
  names = [];
  const name = 'fixture';
  const made = lambdaFunction(
    {
      logicalId: name,
      ref: name,
      arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
      codeFolder: folder,
      role: { logicalId: 'role', arn: 'role', statements: [], trust: [ANYONE] },
      properties: {
        Code: { S3Key: '' },
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Role: 'role',
        Timeout: timeout,
        MemorySize: memory,
        Environment: { Variables: {} },
        LoggingConfig: { LogFormat: 'JSON', LogGroup: name },
      },
    },
    {
      keys: new Map(),
      authorizer: new Authorizer(),
      gatewayUrl: 'http://127.0.0.1:9',
      logFolder: folder,
      environment: {},
      compiledCode: join(folder, 'compiled'),
      call: async ({ method, path, headers, body }) => {
        if (path === '/silent') await new Promise(() => {});
        return { status: 201, headers: { ...headers, 'x-answered': 'yes' }, body: `${method} ${path} ${body}` };
      },
      onError: () => {},
    },
  );
  functions.push(made);
  return made;
}

const invoke = (fn: LambdaFunction, event: object) => fn.invoke(JSON.stringify(event));
const value = ({ payload }: InvocationResult) => JSON.parse(payload);
/** Resolves when this many invocations have come to the door. */
async function atTheDoor(count: number): Promise<void> {
  await until(() => names.length >= count);
}
const release = (...released: string[]) => {
  for (const name of released) door.postMessage({ released: name });
};

test('invocations run at the same time in one environment, and each gets its own answer or error', async () => {
  const fn = start();
  const running = ['one', 'two', 'three'].map((name) => invoke(fn, { name }));
  await atTheDoor(3);
  expect(value(await invoke(fn, { ends: 'throw' })).errorType).toBe('TypeError');
  release('two');
  expect(value((await running[1]) ?? fail()).running).toBe(3);
  release('one', 'three');
  const values = (await Promise.all(running)).map(value);
  expect(values.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
  expect(new Set(values.map(({ threadId }) => threadId)).size).toBe(1);
});

test('no more invocations than the limit run at once, and the others follow in their order', async () => {
  const fn = start();
  const running = Array.from({ length: INVOCATIONS_AT_ONCE + 2 }, (_, index) => invoke(fn, { name: `n${index}` }));
  await atTheDoor(INVOCATIONS_AT_ONCE);
  await pause(50);
  expect(names).toHaveLength(INVOCATIONS_AT_ONCE);
  release('n5');
  await atTheDoor(INVOCATIONS_AT_ONCE + 1);
  expect(names.at(-1)).toBe(`n${INVOCATIONS_AT_ONCE}`);
  release(...names);
  await atTheDoor(INVOCATIONS_AT_ONCE + 2);
  release(`n${INVOCATIONS_AT_ONCE + 1}`);
  expect((await Promise.all(running)).every(({ hasFailed: failed }) => !failed)).toBe(true);
});

test('events that need most of the memory together do not end the environment, because they wait for each other', async () => {
  const fn = start({ timeout: 60 });
  const { threadId } = value(await invoke(fn, {}));
  // All of them have twice as many bytes as a twentieth of the function's memory.
  const event = `{"wait_ms":20,"held":[${'[],'.repeat(87_000)}[]]}`;
  const results = await Promise.all(Array.from({ length: INVOCATIONS_AT_ONCE }, () => fn.invoke(event)));
  expect(new Set(results.map((result) => value(result).threadId))).toEqual(new Set([threadId]));
});

test.each([
  ['exit', 'Runtime.ExitError'],
  ['reject', 'Runtime.UnhandledError'],
])(
  'the end of the thread (%s) ends all its invocations, and the next one gets another environment',
  async (ends, errorType) => {
    const fn = start();
    const first = await invoke(fn, {});
    const beside = invoke(fn, { name: 'beside' });
    await atTheDoor(1);
    const ending = invoke(fn, { name: 'ends', ends });
    await atTheDoor(2);
    release('ends');
    expect(value(await beside).errorType).toBe(errorType);
    if (ends === 'exit') expect(value(await ending).errorType).toBe(errorType);
    const next = await invoke(fn, {});
    expect(next.hasFailed).toBe(false);
    expect(value(next).threadId).not.toBe(value(first).threadId);
  },
);

test('an invocation that times out fails alone, and the others go on', async () => {
  const fn = start();
  const first = value(await invoke(fn, {}));
  const { useFakeTimers, advanceTimersByTime } = import.meta.jest;
  useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const hangs = invoke(fn, { name: 'hangs', ends: 'hang' });
  await atTheDoor(1);
  advanceTimersByTime(9_000);
  const beside = invoke(fn, { name: 'beside' });
  await atTheDoor(2);
  advanceTimersByTime(1_000);
  import.meta.jest.useRealTimers();
  expect(value(await hangs).errorType).toBe('Sandbox.Timedout');
  release('beside');
  expect(value(await beside).threadId).toBe(first.threadId);
});

test('a thread that answers no more ends with all its invocations', async () => {
  const fn = start({ timeout: 1 });
  const first = value(await invoke(fn, {}));
  expect(value(await invoke(fn, { ends: 'block' })).errorType).toBe('Sandbox.Timedout');
  expect(value(await invoke(fn, { ends: 'hang' })).errorType).toMatch(/Sandbox.Timedout|Runtime.ExitError/);
  let next = await invoke(fn, {});
  while (next.hasFailed) next = await invoke(fn, {});
  expect(value(next).threadId).not.toBe(first.threadId);
});

test('a call without a socket reaches the gateway as it was signed, and its answer is the response of the SDK', async () => {
  const headers = { authorization: 'signed', 'X-Amz-Target': 'Service.Operation' };
  const call = { method: 'POST', path: '/path', query: { with: 'a query' }, headers, body: 'body' };
  expect(value(await invoke(start(), { call }))).toEqual({
    statusCode: 201,
    headers: { authorization: 'signed', 'x-amz-target': 'Service.Operation', 'x-answered': 'yes' },
    body: 'POST /path?with=a+query body',
  });
});

test('a call that is not answered in time fails with an error after which the SDK repeats it', async () => {
  const call = { method: 'POST', path: '/silent', headers: {} };
  expect(value(await invoke(start(), { call })).errorType).toBe('TimeoutError');
});

test('a bundle that no gateway runs makes its calls over HTTP', () => {
  const limits = { connectionTimeout: 1, requestTimeout: 2, socketTimeout: 3, throwOnRequestTimeout: true } as const;
  expect(awsTransport(limits)).toBe(limits);
});

function fail(): never {
  throw new Error('There is no result');
}

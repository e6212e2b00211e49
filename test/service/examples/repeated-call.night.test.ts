import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describeWhere, missingProgram } from '../../harness/programs.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { serviceAssembly } from '../acceptance/assembly.ts';
import { functionIds, functionOf } from '../acceptance/local-service.ts';
import { commandLineOf } from '../cli/captured-run.ts';
import { startTestSystem, type TestSystem } from '../events/test-system.ts';

/** Invokes a function with the retries that boto3 has by default. */
const INVOKE = `import boto3, sys
answer = boto3.client("lambda").invoke(FunctionName=sys.argv[1], Payload=sys.argv[2])
print(answer["ResponseMetadata"]["RetryAttempts"], answer["Payload"].read().decode())
`;

describeWhere(missingProgram('boto3'), 'a tool call through boto3 with its default retries', () => {
  let system: TestSystem;
  let cuts = 0;
  let proxy: TestServer;
  beforeAll(async () => {
    system = await startTestSystem();
    // Passes requests on, and closes the connection instead of the first answers.
    proxy = await startServer(async (incoming, outgoing) => {
      const { method, headers, url = '/', socket } = incoming;
      const body = await buffer(incoming);
      const passedOn = request(new URL(url, system.service.aws.endpoint), { method, headers }, (answer) => {
        if (cuts-- > 0) return answer.resume().once('end', () => socket.destroy());
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        return answer.pipe(outgoing);
      });
      passedOn.end(body);
    });
  });
  afterAll(async () => {
    proxy.stop();
    await system.stop();
  });

  test.each([
    ['with an idempotency key', true, 'already_called', 1],
    ['without one', false, 'completed', 2],
  ])('whose connection closes after the request, %s', async (name, isKeyed, outcome, calls) => {
    const { siteId } = await system.organization();
    const tool = name.replaceAll(' ', '-');
    const url = system.receiver.url(`/${tool}`);
    const words = ['--trigger', 'AI-decided', '--name', tool, '--description', 'Orders a thing', '--url', url];
    await commandLineOf(system.cloud).json('action', 'create', '--site', siteId, ...words);
    const functionName = functionOf(functionIds(await serviceAssembly()), 'AiAction');
    const { region, credentials } = system.service.aws;
    const env = {
      ...process.env,
      AWS_ENDPOINT_URL: proxy.origin,
      AWS_DEFAULT_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const call = async (key: string) => {
      const input = {
        operation: 'callTool',
        site_id: siteId,
        conversation_id: 'c-1',
        tool,
        ...(isKeyed && { idempotency_key: key }),
      };
      const words = ['-c', INVOKE, functionName, JSON.stringify(input)];
      const { stdout } = await promisify(execFile)('python3', words, { env });
      const [, retries, payload = ''] = /^(\d+) (.*)/s.exec(stdout) ?? [];
      return [Number(retries), JSON.parse(payload).outcome];
    };
    cuts = 1;
    expect(await call('call-1')).toEqual([1, outcome]);
    expect(system.receiver.to(`/${tool}`)).toHaveLength(calls);
    // Five calls of a conversation are counted.
    const outcomes = [];
    for (let count = calls; count <= 5; count++) outcomes.push(await call(`call-${count + 1}`));
    expect(outcomes).toEqual([...Array(5 - calls).fill([0, 'completed']), [0, 'limit_reached']]);
  });
});

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod';
import { OUTPUTS } from '../../../src/deployment/outputs.ts';
import { testWhere } from '../../harness/programs.ts';
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { logIn } from '../acceptance/login.ts';
import { operatorWith } from '../acceptance/operator.ts';
import { type Receiver, startReceiver } from '../acceptance/receiver.ts';
import { addAdmin, type Prepared, prepare } from '../acceptance/scenario.ts';
import { type StartedService, startService } from '../acceptance/started-service.ts';
import { commandsOn } from '../cli/captured-run.ts';
import { installTools, missingPython, npmTool, pythonTool, run, toolFile } from './tools.ts';

const DOCUMENT = join(process.cwd(), 'docs/openapi.json');
const MINUTES = 60_000;

const testWithPython = testWhere(missingPython, 'openapi-spec-validator, openapi-python-client and schemathesis');

/** Checks docs/openapi.json with the tools of its readers, and the service with requests that are generated from it. */
describe('docs/openapi.json', () => {
  const folder = temporaryFolder();
  let service: StartedService;
  let receiver: Receiver;
  let prepared: Prepared;
  let environment: Record<string, string>;

  beforeAll(async () => {
    await installTools();
    receiver = await startReceiver();
    service = await startService(folder, '--no-demo');
    const operator = operatorWith(commandsOn(service.readyFile));
    prepared = await prepare(operator, receiver);
    const { email, password } = await addAdmin({ service, receiver, prepared, operator });
    const secrets = new SecretsManagerClient(service.aws);
    const origin = await secrets.send(new GetSecretValueCommand({ SecretId: service.outputs[OUTPUTS.originSecret] }));
    const headers = { 'x-server-key': prepared.serverSecret };
    const session = await fetch(`${service.baseUrl}/api/widget/session/create`, { method: 'POST', headers });
    const begun = await fetch(`${service.baseUrl}/api/widget/init`, {
      method: 'POST',
      headers: { 'x-site-id': prepared.siteId, origin: 'https://shop.example.com' },
    });
    const { conversation_id } = z.object({ conversation_id: z.string() }).parse(await begun.json());
    environment = {
      BASE_URL: service.baseUrl,
      ORG_ID: prepared.orgId,
      SITE_ID: prepared.siteId,
      SERVER_KEY: prepared.serverSecret,
      ACCESS_TOKEN: await logIn(await service.loginClient(), email, password),
      SESSION_TOKEN: z.object({ session_token: z.string() }).parse(await session.json()).session_token,
      ORIGIN_SECRET: origin.SecretString ?? '',
      KNOWN_IDS: JSON.stringify({
        org_id: prepared.orgId,
        site_id: prepared.siteId,
        action_id: prepared.tool.id,
        slug: 'contact-us',
        conversation_id,
      }),
    };
  }, 10 * MINUTES);

  afterAll(async () => {
    await service?.interrupt();
    await receiver?.stop();
  });

  test('is clean under spectral', async () => {
    const ruleset = toolFile('.spectral.yaml');
    await run(npmTool('spectral'), ['lint', '--fail-severity', 'hint', '--ruleset', ruleset, DOCUMENT], folder);
  });

  test('is clean under redocly', async () => {
    const said = await run(npmTool('redocly'), ['lint', '--extends', 'recommended', DOCUMENT], folder);
    expect(said).not.toMatch(/warning/i);
  });

  testWithPython('is clean under openapi-spec-validator', async () => {
    await run(pythonTool('openapi-spec-validator'), [DOCUMENT], folder);
  });

  test('gives a client in TypeScript that compiles and is used', async () => {
    const tools = toolFile('.');
    await run(npmTool('openapi-typescript'), [DOCUMENT, '--default-non-nullable=false', '-o', 'va-wave.ts'], tools);
    copyFileSync(toolFile('use-client.ts.txt'), toolFile('use-client.ts'));
    const strict = ['--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'];
    const types = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
    const options = [...strict, ...types, '--verbatimModuleSyntax'];
    await run(npmTool('tsc'), [...options, 'use-client.ts'], tools);
    expect(await run(process.execPath, ['use-client.js'], tools, environment)).toContain('used');
  });

  testWithPython('gives a client in Python that compiles', async () => {
    const into = ['--output-path', join(folder, 'va_wave'), '--meta', 'none', '--overwrite'];
    const path = `${toolFile('python/bin')}:${process.env.PATH}`;
    const generate = ['generate', '--path', DOCUMENT, '--fail-on-warning', ...into];
    await run(pythonTool('openapi-python-client'), generate, folder, { PATH: path });
    await run(pythonTool('python'), ['-m', 'compileall', '-q', 'va_wave'], folder);
  });

  testWithPython(
    'describes the service: schemathesis finds no answer that it does not describe',
    async () => {
      // A method without an operation has no route, so it is a 404 like an unknown path, as API Gateway answers by itself.
      const checks = ['--checks', 'all', '--exclude-checks', 'unsupported_method'];
      const options = [...checks, '--max-examples', '50', '--continue-on-failure', '--no-color'];
      const words = ['--config-file', toolFile('schemathesis.toml'), 'run', DOCUMENT, '--url', service.apiUrl];
      const said = await run(pythonTool('schemathesis'), [...words, ...options], folder, {
        ...environment,
        SCHEMATHESIS_HOOKS: toolFile('hooks.py'),
      });
      console.log(said.slice(said.lastIndexOf('SUMMARY')));
    },
    30 * MINUTES,
  );
});

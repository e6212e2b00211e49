import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryFolder } from '../../../harness/temporary-folder.ts';
import { installReceiver } from './packed-receiver.ts';

const root = resolve(import.meta.dirname, '../../../..');
const app = temporaryFolder();
beforeAll(() => installReceiver(app));

const run = (file: string, text: string) => {
  writeFileSync(join(app, file), text);
  return execFileSync(process.execPath, [file], { cwd: app, encoding: 'utf8' }).trim();
};

describe('the built package', () => {
  test('loads by import and by require, without any other package', () => {
    const print = 'console.log(Object.keys(receiver).sort().join())';
    const names =
      'VerificationError,actionLambda,actionMiddleware,actionRoute,readRawBody,usageWebhookLambda,usageWebhookMiddleware,usageWebhookRoute,verifyAction,verifyUsageWebhook';
    expect(run('a.mjs', `import * as receiver from '@va-wave/receiver'; ${print}`)).toBe(names);
    expect(run('a.cjs', `const receiver = require('@va-wave/receiver'); ${print}`)).toBe(names);
  });

  test('has types for both module systems', () => {
    const use = `
      const form: VerifiedForm = verifyAction(new ArrayBuffer(0), {}, { trigger: 'form', secret: 'secret' });
      const key: string | null = form.deduplicationKey;
      key?.trim();
      // @ts-expect-error a parsed body is not the raw one
      verifyAction({}, {}, { trigger: 'event', secret: 'secret' });
      // @ts-expect-error the kind of the Action is missing
      verifyAction('', {}, { secret: 'secret' });`;
    writeFileSync(join(app, 'm.mts'), `import { verifyAction, type VerifiedForm } from '@va-wave/receiver';${use}`);
    writeFileSync(
      join(app, 'c.cts'),
      `import receiver = require('@va-wave/receiver');
       type VerifiedForm = receiver.VerifiedForm; const { verifyAction } = receiver;${use}`,
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    execFileSync(
      process.execPath,
      [tsc, ...options, '--typeRoots', join(root, 'node_modules/@types'), 'm.mts', 'c.cts'],
      { cwd: app, stdio: 'inherit' },
    );
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { Authorizer } from '../../../../../local/cloud/access/authorizer.ts';
import { functionLog } from '../../../../../local/cloud/functions/function-log.ts';
import { describeWhere } from '../../../../harness/programs.ts';

describeWhere(process.platform === 'linux' ? undefined : '/dev/full is missing', 'a full disk', () => {
  test('costs the log lines, is said once, and ends nothing', async () => {
    const said: string[] = [];
    const write = functionLog({
      file: '/dev/full',
      caller: { kind: 'operator' },
      logGroup: 'any',
      authorizer: new Authorizer(),
      onError: (line) => said.push(line),
    });
    for (const text of ['one\n', 'two\n']) {
      write(text);
      await turn();
      await turn();
    }
    expect(said).toEqual([expect.stringMatching(/^The log cannot be written: ENOSPC/)]);
  });
});

import { failingCommands } from '../../../scripts/check.ts';

test('every check runs, also after one that fails', () => {
  expect(failingCommands(['exit 1', 'exit 0', 'exit 2', 'no-such-program-of-this-project'])).toEqual([
    'exit 1',
    'exit 2',
    'no-such-program-of-this-project',
  ]);
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHELLS } from '../../cli/completion.ts';
import { describeWhere, missingUnless } from '../examples/where-installed.ts';
import { FakeOperator } from './operator.ts';

const folder = mkdtempSync(join(tmpdir(), 'va-wave-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function scriptOf(shell: string): Promise<string> {
  const { code, out } = await new FakeOperator().run('completion', shell);
  expect(code).toBe(0);
  const file = join(folder, shell);
  writeFileSync(file, out);
  return file;
}

/** Returns what the shell offers after these words. The last word is incomplete. */
const OFFERED: Readonly<Record<string, (file: string, words: readonly string[]) => string>> = {
  bash: (file, words) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `source '${file}'; COMP_WORDS=(va-wave ${line}); COMP_CWORD=${words.length}; _va_wave; printf '%s\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', ask], { encoding: 'utf8' });
  },
  zsh: (file, words) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `source '${file}'; compadd() { print -l -- \${(M)@:#\${words[CURRENT]}*}; }; words=(va-wave ${line}); CURRENT=${words.length + 1}; _bash_complete -F _va_wave`;
    return execFileSync('zsh', ['-fc', ask], { encoding: 'utf8' });
  },
  fish: (file, words) =>
    execFileSync('fish', ['-N', '-c', `source '${file}'; complete -C 'va-wave ${words.join(' ')}'`], {
      encoding: 'utf8',
    }),
};

for (const shell of SHELLS) {
  describeWhere(missingUnless(shell, [shell, '-c', 'true']), `in ${shell}`, () => {
    test.each([
      [['deliver'], ['deliveries', 'delivery']],
      [
        ['secret', ''],
        ['generate', 'regenerate'],
      ],
      [['--json', 'secret', 're'], ['regenerate']],
      [['org', 'suspend', 'org_x', '--y'], ['--yes']],
      [['redrive', 'e'], ['events']],
      [['action', 'create', '--lo'], ['--local']],
      [['nonsense', 'secr'], ['secret']],
      [
        ['action', 'create', '--trigger', ''],
        ['ai-decided', 'event', 'form'],
      ],
      [['action', 'create', '--site', 'site_x', '--event', 'contact.c'], ['contact.created']],
      [['event', 'put', 'contact.c'], ['contact.created']],
      [['deliveries', 'act_x', '--outcome', 'f'], ['failed']],
      [['org', 'create', '--plan', 'p', '--na'], ['--name']],
    ])('completes %j', async (words, expected) => {
      const offered = (OFFERED[shell]?.(await scriptOf(shell), words) ?? '')
        .split('\n')
        .filter((word) => word.trim() !== '');
      expect(offered.filter((word) => words.at(-1) !== '' || !word.startsWith('-')).toSorted()).toEqual(expected);
    });
  });
}

test('refuses another shell', async () => {
  expect((await new FakeOperator().run('completion', 'tcsh')).code).toBe(2);
});

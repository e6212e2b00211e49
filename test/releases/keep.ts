import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { presentState, readState, stateOfText, textOfState } from './state.ts';

// `node test/releases/keep.ts <version>` keeps what the code of a release stores and sends, what it reads from that, and its templates.

const [, , version] = process.argv;
if (!/^\d+\.\d+\.\d+$/.test(version ?? '')) throw new Error('Name the version of the release, such as 1.0.0');
const folder = fileURLToPath(new URL(`${version}/`, import.meta.url));
mkdirSync(folder, { recursive: true });
const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);

const state = textOfState(await presentState());
write('state.json', state);
write('reading.json', JSON.stringify(await readState(stateOfText(state))));

const templates = mkdtempSync(join(tmpdir(), 'templates-'));
execFileSync(process.execPath, ['test/service/lib/synthesize-choices.ts', templates, 'tested'], { stdio: 'inherit' });
for (const [name, choice] of [
  ['plain', 'production'],
  ['all-options', 'production with every option'],
])
  write(
    `${name}.template.json`,
    JSON.stringify(JSON.parse(readFileSync(join(templates, `${choice}.json`), 'utf8')).template),
  );
rmSync(templates, { recursive: true });
process.exit();

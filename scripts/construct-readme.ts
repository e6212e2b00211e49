import { readFileSync, writeFileSync } from 'node:fs';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { withTables } from '../bench/report.ts';
import { VaWave } from '../lib/va-wave.ts';
import { OUTPUT_DESCRIPTIONS, OUTPUT_NAMES, OUTPUTS } from '../src/deployment/outputs.ts';

// Writes the tables of the construct's README from its props, its outputs and its template: `node scripts/construct-readme.ts`.

const README = new URL('../packages/cdk/README.md', import.meta.url);
const PROPS = readFileSync(new URL('../lib/deployment-options.ts', import.meta.url), 'utf8');
const DEPLOYING = readFileSync(new URL('../docs/deploying.md', import.meta.url), 'utf8');
/** One prop in the source: docstring, default, name, type. */
const PROP = /\/\*\* (.*?)(?: ?@default (.*?))? \*\/\n {2}readonly (\w+)\?: (.+?) \| undefined;/g;

/** Returns a row for each prop. Its price is the last cell of its row in docs/deploying.md; a prop without a row there is free. */
function propRows(): readonly (readonly string[])[] {
  const [, body = ''] = /export interface VaWaveProps \{\n([\s\S]*?)\n\}/.exec(PROPS) ?? [];
  return [...body.matchAll(PROP)].map(([, text = '', byDefault = '', name = '', type = '']) => {
    const row = DEPLOYING.split('\n').find((line) => new RegExp(`^\\|[^|]*\`${name}[=\`]`).test(line)) ?? '| free |';
    const price = row.split('|').at(-2)?.trim() ?? '';
    const types = type.replace('StageName', "'dev' | 'prod'").replaceAll('|', '\\|');
    return [`\`${name}\``, `\`${types}\``, text, byDefault, price.replace('](', '](../../docs/')];
  });
}

/** Returns the README with its tables. @param types of the resources of a service without props */
export function withConstruct(readme: string, types: readonly string[]): string {
  const services = types.map((type) =>
    type.replace(/^AWS::(\w+)::.*/, '$1').replace(/^Custom::.*/, 'custom resources'),
  );
  const serviceRows = [...Map.groupBy(services.sort(), (one) => one)].map(([one, all]) => [one, `${all.length}`]);
  const outputs = OUTPUT_NAMES.map((name) => [`\`${OUTPUTS[name]}\``, OUTPUT_DESCRIPTIONS[name]]);
  return withTables(readme, [
    { columns: ['Prop', 'Type', 'What it does', 'Default', 'Price'], rows: propRows() },
    { columns: ['Output', 'What it has'], rows: outputs },
    { columns: ['AWS service', 'Resources'], rows: [...serviceRows, ['**all**', `**${types.length}**`]] },
  ]);
}

if (import.meta.main) {
  const stack = new Stack(new App(), 'Chat');
  new VaWave(stack, 'VaWave');
  const resources: Record<string, { Type: string }> = Template.fromStack(stack).toJSON().Resources;
  const types = Object.values(resources).map(({ Type }) => Type);
  writeFileSync(README, withConstruct(readFileSync(README, 'utf8'), types));
}

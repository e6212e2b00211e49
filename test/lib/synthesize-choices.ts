import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { VaWaveStack } from '../../lib/va-wave-stack.ts';
import { CHOICES } from './deployment-choices.ts';

/**
 * Writes what each choice of an operator comes to into the folder that is named: `<choice>.json`, with the template as `cdk synth` makes
 * it, without bundling the functions, what cdk-nag complains about, and what stands beside the template. A process of its own, once for a run: loading the CDK takes
 * longer than a synthesis, and under jest it takes longer still.
 */

const [, , folder = ''] = process.argv;
mkdirSync(folder, { recursive: true });
const { context }: { context: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));

// The CDK's own validation keeps its engine for a template that has no more types of resources than the one before: the fullest first.
const fullestFirst = Object.entries(CHOICES).sort(
  ([, one], [, other]) => Object.keys(other).length - Object.keys(one).length,
);

for (const [choice, props] of fullestFirst) {
  const outdir = join(folder, `cdk.out of ${choice}`);
  const app = new App({ outdir, context: { ...context, 'aws:cdk:bundling-stacks': [] } });
  const stack = new VaWaveStack(app, 'stackName' in props ? props.stackName : 'VaWave', props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  const complaints = complaintsOf(() => app.synth());
  const template: unknown = JSON.parse(readFileSync(join(outdir, stack.templateFile), 'utf8'));
  const { stackName, terminationProtection } = stack;
  writeFileSync(
    join(folder, `${choice}.json`),
    JSON.stringify({ template, complaints, stackName, terminationProtection }),
  );
}

/** The CDK fails on a finding, and prints what it found. */
function complaintsOf(synthesize: () => unknown): string | null {
  const printed: string[] = [];
  console.log = console.error = (...words) => printed.push(format(...words));
  try {
    synthesize();
    return null;
  } catch (error) {
    return [...printed, error].join('\n');
  }
}

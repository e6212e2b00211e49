import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'node:util';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { VaWaveStack } from '../../../lib/va-wave-stack.ts';
import { CHOICES, CONTEXT, NAGGED, TESTED, WITHOUT_FLAGS } from './deployment-choices.ts';

/**
 * Synthesizes a stack for each of the choices and writes `<choice>.json` into the folder that the first argument names. The file holds the
 * template as `cdk synth` makes it, the findings of cdk-nag, what the CDK would ask AWS, and the stack's name and termination protection. The script runs once per test run in its own process, because loading the CDK takes longer than a synthesis, and longer
 * still under jest. With `tested` as second argument it has only the choices that the tests need, without the CDK's validation, which takes
 * twice as long as they. Otherwise it fails when a template has a finding.
 */

const [, , folder = '', extent] = process.argv;
const quick = extent === 'tested';
mkdirSync(folder, { recursive: true });
const { context }: { context: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));

// The CDK's validation reuses its engine for a template whose resource types the engine already knows. So the fullest template is first.
const fullestFirst = Object.entries(quick ? TESTED : CHOICES).sort(
  ([, one], [, other]) => Object.keys(other).length - Object.keys(one).length,
);

for (const [choice, props] of fullestFirst) {
  const outdir = join(folder, `cdk.out of ${choice}`);
  const app = new App({
    outdir,
    context: { ...(!WITHOUT_FLAGS.includes(choice) && context), ...CONTEXT[choice] },
    builtinCloudFormationValidation: !quick,
  });
  const stack = new VaWaveStack(app, props.stackName ?? 'VaWave', props);
  if (!quick || NAGGED.some((name) => name === choice)) Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  let lookUps: readonly unknown[] = [];
  const complaints = complaintsOf(() => {
    lookUps = app.synth().manifest.missing ?? [];
  });
  if (!quick && complaints !== null) throw new Error(`${choice}: ${complaints}`);
  if (lookUps.length > 0) throw new Error(`${choice} asks AWS: ${JSON.stringify(lookUps)}`);
  const template: unknown = JSON.parse(readFileSync(join(outdir, stack.templateFile), 'utf8'));
  const { stackName, terminationProtection } = stack;
  writeFileSync(
    join(folder, `${choice}.json`),
    JSON.stringify({ template, complaints, lookUps, stackName, terminationProtection }),
  );
}

/** Returns what the CDK prints when it fails on a finding; null when it succeeds. */
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

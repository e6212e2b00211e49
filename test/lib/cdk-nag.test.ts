import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { VaWaveStack, type VaWaveStackProps } from '../../lib/va-wave-stack.ts';
import { ALL_OPTIONS } from './deployment-choices.ts';

test.each<[string, VaWaveStackProps]>([
  ['production', {}],
  ['development', { stage: 'dev' }],
  ['production with every option', ALL_OPTIONS],
  ['development with every option', { ...ALL_OPTIONS, stage: 'dev' }],
])('cdk-nag (AwsSolutions) finds nothing in %s that is not acknowledged with a reason', (_, props) => {
  const outdir = mkdtempSync(join(tmpdir(), 'va-wave-nag-'));
  try {
    const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
    new VaWaveStack(app, 'VaWave', props);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    // Synthesis fails on a finding, and prints it.
    expect(() => app.synth()).not.toThrow();
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});

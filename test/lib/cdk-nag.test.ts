import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { VaWaveStack } from '../../lib/va-wave-stack.ts';

test('cdk-nag (AwsSolutions) finds nothing that is not acknowledged with a reason', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'va-wave-nag-'));
  try {
    const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
    new VaWaveStack(app, 'VaWave');
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    // Synthesis fails on a finding, and prints it.
    expect(() => app.synth()).not.toThrow();
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});

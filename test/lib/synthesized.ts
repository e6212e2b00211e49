import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { VaWaveStack, type VaWaveStackProps } from '../../lib/va-wave-stack.ts';

const cdkJson = z
  .object({ context: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(fileURLToPath(new URL('../../cdk.json', import.meta.url)), 'utf8')));

/** The template as `cdk synth` makes it, without bundling the functions. */
export function synthesize(props: VaWaveStackProps = {}): Template {
  const outdir = mkdtempSync(join(tmpdir(), 'va-wave-synth-'));
  try {
    const app = new App({ outdir, context: { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] } });
    return Template.fromStack(new VaWaveStack(app, 'VaWave', props));
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

const statement = z.object({
  Effect: z.literal('Allow'),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
});

/** What a role's policy allows: `<action> <construct>`, where the construct is the logical id without its hash. */
export function grantsOf(template: Template, role: string): string[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(
    ([id]) => nameOf(id) === `${role}DefaultPolicy`,
  );
  const document = z.object({ Properties: z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) }) });
  return policies
    .flatMap(([, policy]) => document.parse(policy).Properties.PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) => {
      const resources = Array.isArray(Resource) ? Resource : [Resource];
      return [Action].flat().flatMap((action) => resources.map((resource) => `${action} ${resourceName(resource)}`));
    })
    .sort();
}

const reference = z.union([
  z.object({ Ref: z.string() }).transform(({ Ref }) => Ref),
  z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }).transform((value) => value['Fn::GetAtt'][0]),
]);

function resourceName(resource: unknown): string {
  const parsed = reference.safeParse(resource);
  return parsed.success ? nameOf(parsed.data) : JSON.stringify(resource);
}

/** A logical id without the eight characters that the CDK adds. */
export function nameOf(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

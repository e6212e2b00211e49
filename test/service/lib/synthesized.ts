import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { oncePerRun } from '../../harness/run-folder.ts';
import type { Choice } from './deployment-choices.ts';

const SCRIPT = fileURLToPath(new URL('synthesize-choices.ts', import.meta.url));

/** Several threads that collect garbage in small portions would take a sixth more processor time. */
const MEMORY = ['--single-threaded-gc', '--max-semi-space-size=64'];

/** Returns the folder with `<choice>.json` of each choice that is tested, and its cloud assembly. */
export const synthesizedChoices = (): Promise<string> =>
  oncePerRun('templates', (made) => promisify(execFile)(process.execPath, [...MEMORY, SCRIPT, made, 'tested']));

/** Awaited here, before a test begins: another process may still synthesize for as long as the machine is busy. */
const folder = await synthesizedChoices();

function synthesized(choice: string) {
  return z
    .object({
      template: z.record(z.string(), z.unknown()),
      complaints: z.string().nullable(),
      lookUps: z.array(z.unknown()),
      stackName: z.string(),
      terminationProtection: z.boolean(),
    })
    .parse(JSON.parse(readFileSync(join(folder, `${choice}.json`), 'utf8')));
}

/** Returns the template as `cdk synth` makes it. */
export function synthesize(choice: Choice = 'production'): Template {
  return Template.fromJSON(synthesized(choice).template);
}

/** Returns what cdk-nag (AwsSolutions) finds and no acknowledgement explains; null when it finds nothing. */
export function findings(choice: string): string | null {
  return synthesized(choice).complaints;
}

/** Returns what the synthesis needs of an AWS account, whose credentials a pipeline or a colleague may not have. */
export function lookUpsOf(choice: string): readonly unknown[] {
  return synthesized(choice).lookUps;
}

/** Returns the stack's properties that are not in its template. */
export function stackOf(choice: Choice): { stackName: string; terminationProtection: boolean } {
  const { stackName, terminationProtection } = synthesized(choice);
  return { stackName, terminationProtection };
}

const statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Action: z.union([z.string(), z.array(z.string())]),
  Resource: z.unknown(),
});

/** Returns what a role's policy allows as `<action> <construct>`, where the construct is the logical id without its hash. */
export function grantsOf(template: Template, role: string): string[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(
    ([id]) => nameOf(id) === `${role}DefaultPolicy`,
  );
  const document = z.object({ Properties: z.object({ PolicyDocument: z.object({ Statement: z.array(statement) }) }) });
  return policies
    .flatMap(([, policy]) => document.parse(policy).Properties.PolicyDocument.Statement)
    .filter(({ Effect }) => Effect === 'Allow')
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

/** Returns a logical id without the eight characters that the CDK adds. */
export function nameOf(logicalId: string): string {
  return logicalId.replace(/[0-9A-F]{8}$/, '');
}

/** Returns true for a function or role that the CDK adds for deployments. It serves no request. */
export function bringsAlong(logicalId: string): boolean {
  return /^(CustomCDKBucketDeployment|CustomS3AutoDeleteObjects|AWS679f53fac002430cb0da5b7982bd2287)/.test(logicalId);
}

/** The properties that name a resource. Two resources with the same name clash. */
const NAMES = ['Name', 'FunctionName', 'RoleName', 'TableName', 'QueueName', 'BucketName', 'LogGroupName', 'AlarmName'];
/** These hold parts of a named resource, or dimensions, which name another resource. */
const PARTS = ['Attributes', 'Dimensions', 'Metrics', 'SchemaV2', 'Schema', 'Tags'];
/** Returns the types and names of the resources that the template names itself, instead of leaving it to CloudFormation. */
export function namesIn(template: Template): string[] {
  const found = (type: string, properties: unknown): string[] =>
    typeof properties !== 'object' || properties === null
      ? []
      : Object.entries(properties).flatMap(([key, inner]) => {
          if (PARTS.includes(key)) return [];
          const isName =
            NAMES.includes(key) && !(typeof inner === 'object' && ('Ref' in inner || 'Fn::GetAtt' in inner));
          return [...(isName ? [`${type} ${JSON.stringify(inner)}`] : []), ...found(type, inner)];
        });
  const resources = z.record(z.string(), z.object({ Type: z.string(), Properties: z.unknown() }));
  return Object.values(resources.parse(template.toJSON().Resources)).flatMap(({ Type, Properties }) =>
    // The calls that create the parts of the access log name these parts.
    Type === 'Custom::AWS' ? [`${Type} ${JSON.stringify(Properties)}`] : found(Type, Properties),
  );
}

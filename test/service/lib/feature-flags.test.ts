import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';
import { synthesize } from './synthesized.ts';

const flags = z.record(z.string(), z.unknown());
const { context } = z.object({ context: flags }).parse(JSON.parse(readFileSync('cdk.json', 'utf8')));
const recommended = flags.parse(
  JSON.parse(
    readFileSync(createRequire(import.meta.url).resolve('aws-cdk-lib/recommended-feature-flags.json'), 'utf8'),
  ),
);

/** Feature flags that differ from the CDK's recommendation, with the reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  '@aws-cdk/core:target-partitions':
    'China has no CloudFront of this kind, no Cognito managed login and no fair queues.',
  '@aws-cdk/aws-ec2:restrictDefaultSecurityGroup':
    'It adds a function that changes a security group which the stack does not use.',
};

test('cdk.json sets every feature flag of the CDK, so that a newer CDK does not change a deployed stack', () => {
  expect(Object.keys(context).sort()).toEqual(Object.keys(recommended).sort());
});

test('every feature flag has the recommended value, except those with a reason', () => {
  const otherwise = Object.keys(recommended).filter(
    (name) => JSON.stringify(context[name]) !== JSON.stringify(recommended[name]),
  );
  expect(otherwise.sort()).toEqual(Object.keys(OTHERWISE).sort());
});

/** Sorts what flags only order: the statements of policies and their actions. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const { Statement, ...others } = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sorted(one)]));
  if (!Array.isArray(Statement))
    return value === null ? value : { ...others, ...(Statement !== undefined && { Statement }) };
  const single = Statement.flatMap(({ Action, Resource, ...statement }) =>
    [Action]
      .flat()
      .flatMap((action) => [Resource].flat().map((resource) => JSON.stringify([action, resource, statement]))),
  );
  return { ...others, Statement: [...new Set(single)].sort() };
}

test('an app without any flag gets the same template', () => {
  const [with_, without] = (['production with every option', 'a fix in an app without feature flags'] as const).map(
    (choice) => {
      const { Resources } = synthesize(choice).toJSON();
      // Releases differ by the option, and functions by the commit.
      return Object.fromEntries(
        Object.entries<{ Type: string; Metadata?: object; Properties?: { Tags?: object } }>(Resources)
          .filter(([, { Type }]) => !/CodeDeploy|Lambda::(?:Alias|Version)|CloudWatch::Alarm/.test(Type))
          .map(([id, { Metadata, ...resource }]) => [
            id,
            sorted({ ...resource, Properties: { ...resource.Properties, Tags: undefined } }),
          ]),
      );
    },
  );
  expect(Object.keys(without ?? {}).length).toBeGreaterThan(100);
  expect(without).toEqual(with_);
});

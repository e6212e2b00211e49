import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';

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

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

/** What is chosen otherwise than the CDK recommends, and why. */
const OTHERWISE: Readonly<Record<string, string>> = {
  '@aws-cdk/core:target-partitions':
    'China has no CloudFront of this kind, no Cognito managed login and no fair queues.',
  '@aws-cdk/aws-ec2:restrictDefaultSecurityGroup':
    'It adds a function that changes a security group in which nothing of the stack is.',
};

test('every feature flag of the CDK is decided, so that a newer CDK changes nothing of a stack that lives', () => {
  expect(Object.keys(context).sort()).toEqual(Object.keys(recommended).sort());
});

test('and decided as recommended, with the exceptions that have a reason', () => {
  const otherwise = Object.keys(recommended).filter(
    (name) => JSON.stringify(context[name]) !== JSON.stringify(recommended[name]),
  );
  expect(otherwise.sort()).toEqual(Object.keys(OTHERWISE).sort());
});

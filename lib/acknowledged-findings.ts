import { Stack, Validations } from 'aws-cdk-lib';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { IConstruct } from 'constructs';

/** Acknowledges findings of cdk-nag (AwsSolutions) about a construct and its parts. @param rules such as `S1` */
export function acknowledge(scope: IConstruct, reason: string, ...rules: readonly string[]): void {
  for (const rule of rules) Validations.of(scope).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}

const BASIC_EXECUTION = 'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]';

/**
 * Acknowledges the findings about the functions that the CDK adds to the stack. A finding about a construct of this project is
 * acknowledged where that construct is created.
 * @param files the bucket to which files are copied
 */
export function acknowledgeFindings(files: Bucket): void {
  const stack = Stack.of(files);
  const bucketArn = `${stack.resolve(files.bucketArn)['Fn::GetAtt'][0]}.Arn`;
  for (const child of stack.node.children) {
    if (child.node.id.startsWith('AWS679f')) {
      const reason = 'The CDK brings this function along; it makes calls at deploy time and serves no request.';
      acknowledge(child, reason, 'L1', BASIC_EXECUTION);
    }
    if (child.node.id.startsWith('Custom::CDKBucketDeployment')) {
      const reason = 'The CDK brings this function along; it copies assets at deploy time and serves no request.';
      acknowledge(
        child,
        reason,
        'L1',
        BASIC_EXECUTION,
        'IAM5[Action::s3:GetObject*]',
        'IAM5[Action::s3:GetBucket*]',
        'IAM5[Action::s3:List*]',
        'IAM5[Action::s3:DeleteObject*]',
        'IAM5[Action::s3:Abort*]',
        'IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]',
        `IAM5[Resource::<${bucketArn}>/*]`,
        'IAM5[Resource::*]',
      );
    }
  }
}

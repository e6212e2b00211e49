import { type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Acknowledges the findings of cdk-nag (AwsSolutions) about resources that the CDK adds to the stack, each with its reason. A finding
 * about a construct of this project is acknowledged where that construct is created.
 */
export function acknowledgeFindings(stack: Stack): void {
  for (const child of stack.node.children) {
    if (child.node.id.startsWith('Custom::CDKBucketDeployment')) acknowledgeBucketDeployment(child);
    if (child.node.id.startsWith('AWS679f')) acknowledgeCalls(child);
  }
}

function acknowledgeCalls(calls: IConstruct): void {
  const reason = 'The CDK brings this function along; it makes calls at deploy time and serves no request.';
  for (const id of [
    'L1',
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
  ]) {
    Validations.of(calls).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });
  }
}

function acknowledgeBucketDeployment(assets: IConstruct): void {
  const reason = 'The CDK brings this function along; it copies assets at deploy time and serves no request.';
  for (const id of [
    'L1',
    'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]',
    'IAM5[Action::s3:GetObject*]',
    'IAM5[Action::s3:GetBucket*]',
    'IAM5[Action::s3:List*]',
    'IAM5[Action::s3:DeleteObject*]',
    'IAM5[Action::s3:Abort*]',
    'IAM5[Resource::arn:<AWS::Partition>:s3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>/*]',
    'IAM5[Resource::<EdgeAssetsCDE1815C.Arn>/*]',
    'IAM5[Resource::*]',
  ]) {
    Validations.of(assets).acknowledge({ id: `AwsSolutions::AwsSolutions-${id}`, reason });
  }
}

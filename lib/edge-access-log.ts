import { Arn, ArnFormat, Aws } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import * as customResources from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { acknowledgePolicies } from './acknowledged-findings.ts';
import { CLOUDFRONT_REGION, nameInAccount, type Stage } from './stage.ts';

export type EdgeAccessLogProps = {
  readonly stage: Stage;
  readonly distribution: Distribution;
  /** Gets the log, below `AWSLogs/<account>/CloudFront/`. */
  readonly bucket: Bucket;
  /** Log group of the functions that run only during a deployment. */
  readonly deploymentLog: LogGroup;
};

/**
 * Lets the distribution write its access log to a bucket. CloudFront's legacy logging cannot write to buckets in opt-in regions, so this uses
 * standard logging (v2). Its three resources exist in us-east-1 only. A stack of another region cannot create resources there, so custom
 * resources call the API.
 */
export class EdgeAccessLog extends Construct {
  constructor(scope: Construct, id: string, { stage, distribution, bucket, deploymentLog }: EdgeAccessLogProps) {
    super(scope, id);
    const name = nameInAccount(stage);
    const logsArn = (resource: string, resourceName: string) =>
      Arn.format({
        partition: Aws.PARTITION,
        service: 'logs',
        region: CLOUDFRONT_REGION,
        account: Aws.ACCOUNT_ID,
        resource,
        resourceName,
        arnFormat: ArnFormat.COLON_RESOURCE_NAME,
      });
    const sourceArn = logsArn('delivery-source', name);
    const destinationArn = logsArn('delivery-destination', name);
    bucket.addToResourcePolicy(
      // Exactly the statement that AWS documents and looks for. Without it, AWS would try to write the policy itself.
      new PolicyStatement({
        sid: 'AWSLogDeliveryWrite',
        principals: [new ServicePrincipal('delivery.logs.amazonaws.com')],
        actions: ['s3:PutObject'],
        resources: [bucket.arnForObjects(`AWSLogs/${Aws.ACCOUNT_ID}/*`)],
        conditions: {
          StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control', 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: { 'aws:SourceArn': logsArn('delivery-source', '*') },
        },
      }),
    );
    const resource = (resourceId: string, { grants, ...calls }: Calls & { readonly grants: Grants }) =>
      new customResources.AwsCustomResource(this, resourceId, {
        ...calls,
        policy: customResources.AwsCustomResourcePolicy.fromStatements(
          Object.entries(grants).map(
            ([action, resources]) => new PolicyStatement({ actions: [action], resources: [resources].flat() }),
          ),
        ),
        installLatestAwsSdk: false,
        logGroup: deploymentLog,
      });
    const source = resource('Source', {
      onUpdate: call('putDeliverySource', {
        physicalResourceId: customResources.PhysicalResourceId.of(name),
        parameters: { name, logType: 'ACCESS_LOGS', resourceArn: distribution.distributionArn },
      }),
      onDelete: call('deleteDeliverySource', { parameters: { name } }),
      grants: {
        'logs:PutDeliverySource': sourceArn,
        // AWS's service authorization reference names the destination for this action, and its guide names the source.
        'logs:DeleteDeliverySource': [sourceArn, destinationArn],
        'cloudfront:AllowVendedLogDeliveryForResource': distribution.distributionArn,
      },
    });
    const destination = resource('Destination', {
      onUpdate: call('putDeliveryDestination', {
        physicalResourceId: customResources.PhysicalResourceId.of(name),
        parameters: {
          name,
          outputFormat: 'w3c',
          deliveryDestinationConfiguration: { destinationResourceArn: bucket.bucketArn },
        },
      }),
      onDelete: call('deleteDeliveryDestination', { parameters: { name } }),
      grants: { 'logs:PutDeliveryDestination': destinationArn, 'logs:DeleteDeliveryDestination': destinationArn },
    });
    const everyDelivery = logsArn('delivery', '*');
    const delivery = resource('Delivery', {
      // An update calls nothing. Whoever changes these parameters gives the resource another id than `Delivery`: CloudFormation then creates a
      // new delivery, and deletes this one.
      onCreate: call('createDelivery', {
        physicalResourceId: customResources.PhysicalResourceId.fromResponse('delivery.id'),
        parameters: { deliverySourceName: name, deliveryDestinationArn: destinationArn },
      }),
      onDelete: call('deleteDelivery', { parameters: { id: new customResources.PhysicalResourceIdReference() } }),
      grants: {
        'logs:CreateDelivery': [sourceArn, destinationArn, everyDelivery],
        'logs:DeleteDelivery': everyDelivery,
        // CloudWatch Logs checks that the bucket policy allows it to write.
        's3:GetBucketPolicy': bucket.bucketArn,
      },
    });
    delivery.node.addDependency(source, destination, bucket);
    if (bucket.policy !== undefined) delivery.node.addDependency(bucket.policy);
    acknowledgePolicies(delivery, 'AWS chooses the id of a delivery.');
  }
}

type Calls = Pick<customResources.AwsCustomResourceProps, 'onCreate' | 'onUpdate' | 'onDelete'>;
type Grants = Readonly<Record<string, string | string[]>>;

/** A call of the API of CloudWatch Logs. Deleting what is already gone is no failure. */
function call(action: string, more: Pick<customResources.AwsSdkCall, 'parameters' | 'physicalResourceId'>) {
  const gone = action.startsWith('delete') ? { ignoreErrorCodesMatching: 'ResourceNotFoundException' } : {};
  return { service: 'CloudWatchLogs', action, region: CLOUDFRONT_REGION, ...gone, ...more };
}

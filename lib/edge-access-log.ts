import { Arn, ArnFormat, Aws, Duration } from 'aws-cdk-lib';
import type { Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  AwsCustomResource,
  AwsCustomResourcePolicy,
  type AwsCustomResourceProps,
  type AwsSdkCall,
  PhysicalResourceId,
  PhysicalResourceIdReference,
} from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';
import { acknowledge, acknowledgePolicies } from './acknowledged-findings.ts';
import { CLOUDFRONT_REGION, nameInAccount, privateBucket, type Stage } from './stage.ts';

export type EdgeAccessLogProps = {
  readonly stage: Stage;
  /** Log group of the functions that run only during a deployment. */
  readonly deploymentLog: LogGroup;
};

/**
 * The bucket for the access logs of the distribution and of the bucket with its files. CloudFront's legacy logging cannot write to
 * buckets in opt-in regions, so this uses standard logging (v2). Its three resources exist in us-east-1 only. A stack of another region
 * cannot create resources there, so custom resources call the API.
 */
export class EdgeAccessLog extends Construct {
  readonly bucket: Bucket;
  readonly #stage: Stage;
  readonly #deploymentLog: LogGroup;

  constructor(scope: Construct, id: string, { stage, deploymentLog }: EdgeAccessLogProps) {
    super(scope, id);
    this.#stage = stage;
    this.#deploymentLog = deploymentLog;
    // The scope stays the edge, because another scope would create a new bucket.
    this.bucket = privateBucket(scope, 'AccessLogs', stage, { lifecycleRules: [{ expiration: Duration.days(30) }] });
    acknowledge(this.bucket, 'The bucket of access logs does not log the writing of access logs.', 'S1');
  }

  /** Lets the distribution write its log to the bucket, below `AWSLogs/<account>/CloudFront/`. */
  of(distribution: Distribution): void {
    const name = nameInAccount(this.#stage);
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
    this.bucket.addToResourcePolicy(
      // Exactly the statement that AWS documents and looks for. Without it, AWS would try to write the policy itself.
      new PolicyStatement({
        sid: 'AWSLogDeliveryWrite',
        principals: [new ServicePrincipal('delivery.logs.amazonaws.com')],
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects(`AWSLogs/${Aws.ACCOUNT_ID}/*`)],
        conditions: {
          StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control', 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: { 'aws:SourceArn': logsArn('delivery-source', '*') },
        },
      }),
    );
    const source = this.#resource('Source', {
      onUpdate: call('putDeliverySource', {
        physicalResourceId: PhysicalResourceId.of(name),
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
    const destination = this.#resource('Destination', {
      onUpdate: call('putDeliveryDestination', {
        physicalResourceId: PhysicalResourceId.of(name),
        parameters: {
          name,
          outputFormat: 'w3c',
          deliveryDestinationConfiguration: { destinationResourceArn: this.bucket.bucketArn },
        },
      }),
      onDelete: call('deleteDeliveryDestination', { parameters: { name } }),
      grants: { 'logs:PutDeliveryDestination': destinationArn, 'logs:DeleteDeliveryDestination': destinationArn },
    });
    const everyDelivery = logsArn('delivery', '*');
    const delivery = this.#resource('Delivery', {
      // A log delivery cannot be changed. A changed one needs a new name.
      onCreate: call('createDelivery', {
        physicalResourceId: PhysicalResourceId.fromResponse('delivery.id'),
        parameters: { deliverySourceName: name, deliveryDestinationArn: destinationArn },
      }),
      onDelete: call('deleteDelivery', { parameters: { id: new PhysicalResourceIdReference() } }),
      grants: {
        'logs:CreateDelivery': [sourceArn, destinationArn, everyDelivery],
        'logs:DeleteDelivery': everyDelivery,
        // CloudWatch Logs checks that the bucket policy allows it to write.
        's3:GetBucketPolicy': this.bucket.bucketArn,
      },
    });
    delivery.node.addDependency(source, destination, this.bucket);
    if (this.bucket.policy !== undefined) delivery.node.addDependency(this.bucket.policy);
    acknowledgePolicies(delivery, 'AWS chooses the id of a delivery.');
  }

  #resource(
    id: string,
    {
      grants,
      ...calls
    }: Pick<AwsCustomResourceProps, 'onCreate' | 'onUpdate' | 'onDelete'> & { readonly grants: Grants },
  ): AwsCustomResource {
    return new AwsCustomResource(this, id, {
      ...calls,
      policy: AwsCustomResourcePolicy.fromStatements(
        Object.entries(grants).map(
          ([action, resources]) => new PolicyStatement({ actions: [action], resources: [resources].flat() }),
        ),
      ),
      installLatestAwsSdk: false,
      logGroup: this.#deploymentLog,
    });
  }
}

/** The resources for each allowed action. */
type Grants = Readonly<Record<string, string | string[]>>;

/** A call of the API of CloudWatch Logs. Deleting what is already gone is no failure. */
function call(action: string, more: Pick<AwsSdkCall, 'parameters' | 'physicalResourceId'>): AwsSdkCall {
  const gone = action.startsWith('delete') ? { ignoreErrorCodesMatching: 'ResourceNotFoundException' } : {};
  return { service: 'CloudWatchLogs', action, region: CLOUDFRONT_REGION, ...gone, ...more };
}

import { createHash } from 'node:crypto';
import { ACCOUNT, REGION } from '../account.ts';
import { CloudError } from '../cloud-error.ts';
import type { Resource } from './assembly.ts';
import type { Identity, Resolver } from './intrinsics.ts';

export const PSEUDO_PARAMETERS: Readonly<Record<string, string>> = {
  'AWS::AccountId': ACCOUNT,
  'AWS::Region': REGION,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
};

/** Where the listeners of this run are, `host:port`. */
export type Addresses = {
  readonly edge: string;
  readonly api: string;
  readonly gateway: string;
  readonly login: string;
};

type Identify = (context: {
  readonly logicalId: string;
  readonly resource: Resource;
  readonly stackName: string;
  readonly addresses: Addresses;
  /** A name of the template's choice, else one made of the stack and the logical id, at most so many characters. */
  name(property: string, limit?: number): string;
  /** The resolved text of a property. */
  property(name: string): string;
  /** Letters and digits that are the same in every run. */
  hash(length: number): string;
}) => Identity;

const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;
const globalArn = (service: string, rest: string): string => `arn:aws:${service}::${ACCOUNT}:${rest}`;

/** An ARN that ends in a UUID, the same in every run: names are made of its parts. */
export function stackId(stackName: string): string {
  const uuid = createHash('sha256')
    .update(stackName)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return arn('cloudformation', `stack/${stackName}/${uuid}`);
}

const byLogicalId: Identify = ({ logicalId }) => ({ ref: logicalId, attributes: { Id: logicalId } });

/**
 * Names and attributes by resource type. The local cloud does not start with a type that is missing here. It would
 * otherwise run something else than what is deployed.
 */
const IDENTITIES: Readonly<Record<string, Identify>> = {
  'AWS::DynamoDB::Table': ({ name }) => {
    const table = name('TableName');
    return { ref: table, attributes: { Arn: arn('dynamodb', `table/${table}`) } };
  },
  'AWS::SQS::Queue': ({ name, addresses }) => {
    const queue = name('QueueName', 80);
    const url = `http://${addresses.gateway}/${ACCOUNT}/${queue}`;
    return { ref: url, attributes: { Arn: arn('sqs', queue), QueueName: queue, QueueUrl: url } };
  },
  'AWS::SQS::QueuePolicy': byLogicalId,
  'AWS::SecretsManager::Secret': ({ name, hash }) => {
    const secret = arn('secretsmanager', `secret:${name('Name')}-${hash(6)}`);
    return { ref: secret, attributes: { Id: secret } };
  },
  'AWS::Events::EventBus': ({ name }) => {
    const bus = name('Name');
    return { ref: bus, attributes: { Arn: arn('events', `event-bus/${bus}`), Name: bus } };
  },
  'AWS::Events::Rule': ({ name, resource, property }) => {
    const bus = resource.Properties.EventBusName === undefined ? 'default' : property('EventBusName');
    const rule = name('Name', 64);
    const path = bus === 'default' ? rule : `${bus}/${rule}`;
    return { ref: `${bus}|${rule}`, attributes: { Arn: arn('events', `rule/${path}`) } };
  },
  'AWS::Logs::LogGroup': ({ name }) => {
    const group = name('LogGroupName');
    return { ref: group, attributes: { Arn: arn('logs', `log-group:${group}:*`) } };
  },
  'AWS::IAM::Role': ({ name, hash }) => {
    const role = name('RoleName', 64);
    return {
      ref: role,
      attributes: { Arn: globalArn('iam', `role/${role}`), RoleId: `AROA${hash(17).toUpperCase()}` },
    };
  },
  'AWS::IAM::Policy': byLogicalId,
  'AWS::Lambda::Function': ({ name }) => {
    const fn = name('FunctionName', 64);
    return { ref: fn, attributes: { Arn: arn('lambda', `function:${fn}`) } };
  },
  'AWS::Lambda::Permission': byLogicalId,
  'AWS::Lambda::EventSourceMapping': byLogicalId,
  'AWS::Lambda::LayerVersion': ({ name }) => ({ ref: arn('lambda', `layer:${name('LayerName')}:1`), attributes: {} }),
  'AWS::ApiGatewayV2::Api': ({ hash, addresses }) => {
    const id = hash(10);
    return { ref: id, attributes: { ApiId: id, ApiEndpoint: `http://${addresses.api}` } };
  },
  'AWS::ApiGatewayV2::Integration': byLogicalId,
  'AWS::ApiGatewayV2::Route': byLogicalId,
  'AWS::ApiGatewayV2::Stage': ({ property }) => ({ ref: property('StageName'), attributes: {} }),
  'AWS::S3::Bucket': ({ name }) => {
    const bucket = name('BucketName', 63).toLowerCase();
    const domain = `${bucket}.s3.${REGION}.amazonaws.com`;
    return {
      ref: bucket,
      attributes: { Arn: `arn:aws:s3:::${bucket}`, DomainName: domain, RegionalDomainName: domain },
    };
  },
  'AWS::S3::BucketPolicy': byLogicalId,
  'AWS::CloudFront::OriginAccessControl': byLogicalId,
  'AWS::CloudFront::OriginRequestPolicy': byLogicalId,
  'AWS::CloudFront::ResponseHeadersPolicy': byLogicalId,
  'AWS::CloudFront::Distribution': ({ hash, addresses }) => {
    const id = `E${hash(13).toUpperCase()}`;
    return { ref: id, attributes: { Id: id, DomainName: addresses.edge } };
  },
  'AWS::CloudFront::Function': ({ name }) => {
    const fn = globalArn('cloudfront', `function/${name('Name', 64)}`);
    return { ref: fn, attributes: { FunctionARN: fn } };
  },
  'AWS::Cognito::UserPool': ({ hash, addresses }) => {
    const id = `${REGION}_${hash(9)}`;
    const attributes = { Arn: arn('cognito-idp', `userpool/${id}`), UserPoolId: id };
    return { ref: id, attributes: { ...attributes, ProviderURL: `http://${addresses.login}` } };
  },
  'AWS::Cognito::UserPoolClient': ({ hash }) => ({ ref: hash(26), attributes: { ClientId: hash(26) } }),
  'AWS::Cognito::UserPoolDomain': ({ property }) => ({ ref: property('Domain'), attributes: {} }),
  'AWS::Cognito::UserPoolResourceServer': ({ property }) => ({ ref: property('Identifier'), attributes: {} }),
  'AWS::Cognito::ManagedLoginBranding': byLogicalId,
  'AWS::ApiGatewayV2::Authorizer': ({ logicalId }) => ({ ref: logicalId, attributes: { AuthorizerId: logicalId } }),
  'Custom::CDKBucketDeployment': byLogicalId,
  'Custom::AWS': byLogicalId,
};

/** Gives a resource its name, address and attributes. @throws CloudError on an unknown type */
export function identify(options: {
  readonly logicalId: string;
  readonly resource: Resource;
  readonly stackName: string;
  readonly addresses: Addresses;
  readonly resolver: Resolver;
}): Identity {
  const { logicalId, resource, stackName, resolver } = options;
  const make = IDENTITIES[resource.Type];
  if (make === undefined) {
    throw new CloudError(`The local cloud does not know the resource type ${resource.Type} (${logicalId})`);
  }
  return make({
    ...options,
    property: (property) => resolver.text(resource.Properties[property] ?? null),
    name: (property, limit = 200) => {
      const chosen = resource.Properties[property];
      return chosen === undefined ? shorten(`${stackName}-${logicalId}`, limit) : resolver.text(chosen);
    },
    hash: (length) => createHash('sha256').update(`${stackName}/${logicalId}`).digest('hex').slice(0, length),
  });
}

/** Keeps the end: a logical id ends in the hash that makes it unique. */
function shorten(name: string, limit: number): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 31)}-${name.slice(-30)}`;
}

import { CfnResource, Duration, Fn, Names, SecretValue, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type Bucket, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { BucketDeployment, type BucketDeploymentProps, CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { bundleWidget, widgetFolder } from '#bundles';
import { DASHBOARD_API_PATH } from '../src/contract/dashboard-operations.ts';
import { ORIGIN_SECRET_HEADER, PUBLIC_HEADERS, PUBLIC_QUERY } from '../src/contract/public-operations.ts';
import { acknowledge } from './acknowledged-findings.ts';
import type { VaWaveProps } from './deployment-options.ts';
import { EdgeAccessLog } from './edge-access-log.ts';
import { nameInAccount, privateBucket, type Stage } from './stage.ts';

/** The headers of a viewer's request that the API receives. Host is not among them, because API Gateway accepts only its own host name. */
const FORWARDED_HEADERS = [
  ...PUBLIC_HEADERS,
  'Access-Control-Request-Method',
  'Access-Control-Request-Headers',
  'CloudFront-Viewer-Address',
];

const NO_ACCESS_LOG = 'The option edgeAccessLog turns it on; docs/runbook.md says what is not known until then.';
/** Days for which a former version of a file is kept: enough to notice a bad file and to find out who wrote it. */
const FORMER_FILES_KEPT = Duration.days(90);
/** Lambda's limit for the name of a layer. */
const LAYER_NAME_MAX = 64;

export type EdgeDistributionProps = Pick<
  VaWaveProps,
  'domainName' | 'certificate' | 'webAclArn' | 'originSecretVersion' | 'edgeAccessLog'
> & {
  readonly stage: Stage;
  readonly api: HttpApi;
  readonly originSecret: Secret;
};

/** The distribution behind `{base_url}`: it serves `/static/*` from a private bucket and forwards `/api/*` to the API. lib/dashboard-hosting.ts adds `/dashboard/*`. */
export class EdgeDistribution extends Construct {
  readonly distribution: cloudfront.Distribution;
  readonly baseUrl: string;
  /** Address of the widget file whose name changes with its content, for a tag with `integrity`. */
  readonly widget: { readonly immutablePath: string; readonly integrity: string };
  /** The bucket with every file that the distribution serves, as its origin. */
  readonly assets: cloudfront.IOrigin;
  readonly #bucket: Bucket;
  readonly #deploymentLog: LogGroup;

  constructor(scope: Construct, id: string, props: EdgeDistributionProps) {
    super(scope, id);
    // Without this flag of the CDK, which an app may lack, the bucket of the access logs would be writable by an ACL.
    this.node.setContext('@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy', true);
    const { stage, domainName, certificate, webAclArn, edgeAccessLog = false } = props;
    this.#deploymentLog = new LogGroup(this, 'DeploymentLog', stage.logs);
    const accessLogs = edgeAccessLog ? this.#bucketOfAccessLogs(stage) : undefined;
    this.#bucket = privateBucket(this, 'Assets', stage, {
      serverAccessLogsBucket: accessLogs,
      serverAccessLogsPrefix: accessLogs && 's3/',
      // Keeps the former version of a file that is overwritten by mistake or by an attacker.
      versioned: true,
      // Answers the preflight of a page that adds headers to every request. Whoever may read the files may ask.
      cors: [{ allowedOrigins: ['*'], allowedHeaders: ['*'], allowedMethods: [HttpMethods.GET, HttpMethods.HEAD] }],
      lifecycleRules: [{ noncurrentVersionExpiration: FORMER_FILES_KEPT }],
    });
    this.#logDeletions();
    this.assets = S3BucketOrigin.withOriginAccessControl(this.#bucket, {
      originAccessControl: new cloudfront.S3OriginAccessControl(this, 'AssetsAccess', {
        originAccessControlName: nameInAccount(stage),
      }),
    });
    const apiDomain = Fn.select(2, Fn.split('/', props.api.apiEndpoint)); // The host of https://<host>.
    // The template has a reference, in whose place CloudFormation puts the secret. Without a version, it does so again only when another property of the distribution changes.
    const originSecret =
      props.originSecretVersion === undefined
        ? props.originSecret.secretValue
        : SecretValue.secretsManager(props.originSecret.secretArn, { versionId: props.originSecretVersion });
    const api = {
      origin: new HttpOrigin(apiDomain, {
        protocolPolicy: cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
        customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret.unsafeUnwrap() },
      }),
      allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: cloudfront.CachePolicy.CACHING_DISABLED,
    };
    this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: 'va-wave',
      defaultRootObject: ROOT_PAGE,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      domainNames: domainName === undefined ? undefined : [domainName],
      certificate,
      minimumProtocolVersion: certificate && cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      webAclId: webAclArn,
      // Otherwise CloudFront keeps an error for 10 seconds, whatever its Cache-Control says, and answers other callers with it: Authorization is not in its cache key.
      errorResponses: CACHED_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      defaultBehavior: {
        origin: this.assets,
        allowedMethods: cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
        originRequestPolicy: cloudfront.OriginRequestPolicy.CORS_S3_ORIGIN,
        viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
        cachePolicy: cloudfront.CachePolicy.CACHING_OPTIMIZED,
        responseHeadersPolicy: this.#headersOfStaticFiles(stage),
      },
      additionalBehaviors: {
        // The first behavior that matches applies. An allow list of headers cannot contain Authorization, so this one forwards everything except Host.
        [`${DASHBOARD_API_PATH}/*`]: {
          ...api,
          // The managed policy with these headers also forwards the cookies of the whole domain, which can be longer than what the API takes.
          originRequestPolicy: new cloudfront.OriginRequestPolicy(this, 'DashboardRequests', {
            originRequestPolicyName: nameInAccount(stage, 'dash'),
            headerBehavior: cloudfront.OriginRequestHeaderBehavior.denyList('Host'),
            queryStringBehavior: cloudfront.OriginRequestQueryStringBehavior.all(),
          }),
        },
        '/api/*': {
          ...api,
          originRequestPolicy: new cloudfront.OriginRequestPolicy(this, 'ApiRequests', {
            originRequestPolicyName: nameInAccount(stage, 'api'),
            headerBehavior: cloudfront.OriginRequestHeaderBehavior.allowList(...FORWARDED_HEADERS),
            queryStringBehavior: cloudfront.OriginRequestQueryStringBehavior.allowList(...PUBLIC_QUERY),
          }),
        },
      },
    });
    this.baseUrl = `https://${domainName ?? this.distribution.distributionDomainName}`;
    if (accessLogs === undefined) acknowledge(this.#bucket, NO_ACCESS_LOG, 'S1');
    else {
      new EdgeAccessLog(this, 'AccessLog', {
        stage,
        distribution: this.distribution,
        bucket: accessLogs,
        deploymentLog: this.#deploymentLog,
      });
    }
    acknowledge(this.distribution, 'Customers embed the widget in pages for visitors of any country.', 'CFR1');
    acknowledge(
      this.distribution,
      edgeAccessLog
        ? 'Its log is delivered by standard logging (v2), which is no property of the distribution (edge-access-log.ts).'
        : NO_ACCESS_LOG,
      'CFR3',
    );
    if (webAclArn === undefined) {
      acknowledge(
        this.distribution,
        'A web ACL costs more than the rest of the idle service; an operator can add one.',
        'CFR2',
      );
    }
    if (certificate === undefined) {
      acknowledge(this.distribution, 'The minimum TLS version of the default certificate cannot be set.', 'CFR4');
    }
    this.publish(this, 'Root', {
      sources: [Source.data(ROOT_PAGE, TO_DASHBOARD)],
      cacheControl: CACHE_CONTROL.forMinutes,
    });
    const widget = bundleWidget();
    this.widget = { immutablePath: `/static/${widget.immutableName}`, integrity: widget.integrity };
    // Always the newest version, so that pages get a corrected widget within minutes.
    this.publish(this, 'Widget', {
      destinationKeyPrefix: 'static',
      sources: [Source.data('va-wave-widget.js', widget.code)],
      cacheControl: CACHE_CONTROL.forMinutes,
      distribution: this.distribution,
      distributionPaths: ['/static/va-wave-widget.js'],
    });
    // For pages that pin the widget by its hash, and for its texts in other languages.
    this.publish(this, 'PinnedWidget', {
      destinationKeyPrefix: 'static',
      sources: [Source.asset(widgetFolder(widget))],
      cacheControl: CACHE_CONTROL.forever,
    });
    this.publish(this, 'WidgetTypes', {
      destinationKeyPrefix: 'static',
      sources: [Source.data('va-wave-widget.d.ts', widget.types)],
      // The file extension .ts would otherwise get the content type of a video.
      contentType: 'text/plain; charset=utf-8',
      cacheControl: CACHE_CONTROL.forMinutes,
    });
  }

  #bucketOfAccessLogs(stage: Stage): Bucket {
    const bucket = privateBucket(this, 'AccessLogs', stage, { lifecycleRules: [{ expiration: Duration.days(30) }] });
    acknowledge(bucket, 'The bucket of access logs does not log the writing of access logs.', 'S1');
    return bucket;
  }

  /** Pages of every site load these files, also isolated pages (`Cross-Origin-Embedder-Policy`). With CORS, CloudFront sends `Vary: Origin`. */
  #headersOfStaticFiles(stage: Stage): cloudfront.ResponseHeadersPolicy {
    return new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: nameInAccount(stage, 'static'),
      corsBehavior: {
        accessControlAllowOrigins: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD'],
        accessControlAllowHeaders: ['*'],
        accessControlAllowCredentials: false,
        originOverride: true,
      },
      customHeadersBehavior: {
        customHeaders: [{ header: 'Cross-Origin-Resource-Policy', value: 'cross-origin', override: true }],
      },
      securityHeadersBehavior: {
        ...SECURITY_HEADERS,
        frameOptions: { frameOption: cloudfront.HeadersFrameOption.SAMEORIGIN, override: true },
        referrerPolicy: {
          referrerPolicy: cloudfront.HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN,
          override: true,
        },
      },
    });
  }

  /** Gives the function that empties buckets the log of the deployment. Lambda would create one that nothing deletes. */
  #logDeletions(): void {
    const provider = Stack.of(this).node.tryFindChild('Custom::S3AutoDeleteObjectsCustomResourceProvider');
    const handler = provider?.node.tryFindChild('Handler');
    if (CfnResource.isCfnResource(handler)) {
      handler.addPropertyOverride('LoggingConfig.LogGroup', this.#deploymentLog.logGroupName);
    }
  }

  /** Copies files into the bucket at each deployment. The files of former versions stay, so that no deployment breaks an open page. */
  publish(scope: Construct, id: string, files: Omit<BucketDeploymentProps, 'destinationBucket'>): BucketDeployment {
    const deployment = new BucketDeployment(scope, id, {
      destinationBucket: this.#bucket,
      logGroup: this.#deploymentLog,
      prune: false,
      // The invalidation is sent. Waiting for it fails now and then, and would roll the stack back. Without it, browsers get a new file five minutes later.
      waitForDistributionInvalidation: files.distribution === undefined,
      ...files,
    });
    const layer = deployment.node.tryFindChild('AwsCliLayer')?.node.defaultChild;
    // By itself it has its logical id, which is too long for Lambda in an app that nests constructs.
    const LayerName = Names.uniqueResourceName(deployment, { maxLength: LAYER_NAME_MAX });
    if (CfnResource.isCfnResource(layer)) layer.addPropertyOverride('LayerName', LayerName);
    return deployment;
  }
}

/** What `/` answers: a page that leads to the dashboard. A function of CloudFront would be billed for every file. */
const ROOT_PAGE = 'index.html';
const TO_DASHBOARD = '<!doctype html><title>va-wave</title><meta http-equiv="refresh" content="0;url=/dashboard/">';
/** The error statuses that CloudFront can keep. */
const CACHED_ERRORS = [400, 403, 404, 405, 414, 500, 501, 502, 503, 504];

/** With every answer of the distribution, browsers do not guess another content type, and use HTTPS only. */
export const SECURITY_HEADERS = {
  contentTypeOptions: { override: true },
  strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, override: true },
};

/** How long browsers and the distribution keep a file: one with its hash in its name forever, another for five minutes. */
export const CACHE_CONTROL = {
  forever: [CacheControl.setPublic(), CacheControl.maxAge(Duration.days(365)), CacheControl.immutable()],
  forMinutes: [CacheControl.setPublic(), CacheControl.maxAge(Duration.minutes(5)), CacheControl.mustRevalidate()],
};

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import * as cloudfront from 'aws-cdk-lib/aws-cloudfront';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CacheControl, Source } from 'aws-cdk-lib/aws-s3-deployment';
import { Construct } from 'constructs';
import { dashboardFolder, NOTICES } from '#bundles';
import { DASHBOARD_API_PATH } from '../src/contract/dashboard-operations.ts';
import { AUDIT_PARTITION } from '../src/contract/organizations.ts';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { CACHE_CONTROL, type EdgeDistribution, SECURITY_HEADERS } from './edge-distribution.ts';
import { type Foundation, featureFunction } from './foundation.ts';
import type { ServiceApi } from './service-api.ts';
import type { ServiceFunction } from './service-function.ts';
import { nameInAccount, type Stage } from './stage.ts';
import type { UserLogin } from './user-login.ts';

/** Longer than ONE_ATTEMPT_TIMEOUT: another function makes the test request, and this one waits for it. */
const WHOLE_TEST_TIMEOUT = Duration.seconds(20);

export type DashboardHostingProps = Foundation & {
  readonly login: UserLogin;
  readonly api: ServiceApi;
  readonly edge: EdgeDistribution;
};

/** Code of a CloudFront function: paths whose last part has no dot are screens of the page. */
const SCREENS = `function handler(event) {
  var request = event.request;
  if (request.uri.split('/').pop().indexOf('.') === -1) request.uri = '/dashboard/index.html';
  return request;
}`;

/** The dashboard: the page below `/dashboard/`, which finds its login by config.json, and the API, which requires a login. */
export class DashboardHosting extends Construct {
  readonly url: string;
  readonly actionTest: ServiceFunction;

  constructor(scope: Construct, id: string, props: DashboardHostingProps) {
    super(scope, id);
    const { login, api, edge, alarms } = props;
    this.url = `${edge.baseUrl}/dashboard/`;
    this.actionTest = featureFunction(this, 'ActionTest', props, {
      folder: 'action-test',
      description: 'Sends the test request of an Action',
      ...props.forEndpointCalls,
      tableCalls: {
        configuration: ['GetItem'],
        counters: ['UpdateItem'],
        deliveryLog: ['PartiQLInsert', 'PartiQLUpdate'],
      },
      secrets: ['sealingKey'],
    });
    const dashboardApi = this.#api(props);
    alarms.watch(this, [dashboardApi, this.actionTest]);
    const routes = api.http.addRoutes({
      path: `${DASHBOARD_API_PATH}/{proxy+}`,
      methods: [HttpMethod.GET, HttpMethod.POST, HttpMethod.PATCH, HttpMethod.DELETE],
      integration: new HttpLambdaIntegration('DashboardApi', dashboardApi.callable),
      authorizer: login.authorizer,
      authorizationScopes: [login.scope],
    });
    api.throttle('Dashboard', routes);
    this.#servePage(props);
  }

  #api(props: DashboardHostingProps): ServiceFunction {
    const api = featureFunction(this, 'Api', props, {
      folder: 'dashboard-api',
      description: 'Reads and writes for the dashboard, as the role of the user allows',
      timeout: WHOLE_TEST_TIMEOUT,
      tableCalls: {
        configuration: [
          'BatchGetItem',
          'GetItem',
          'Query',
          'ConditionCheckItem',
          'PutItem',
          'UpdateItem',
          'DeleteItem',
        ],
        counters: ['BatchGetItem'],
      },
      secrets: ['sealingKey'],
    });
    // A transaction writes the audit trail. Nothing of this function changes what it has (docs/decisions/0006).
    api.fn.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
        resources: [props.tables.configuration.table.tableArn],
        // AWS does not say whether each write of a transaction is asked about its own key or about all. With all, none is refused.
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${AUDIT_PARTITION}*`] },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
    api.allow({
      actions: ['lambda:InvokeFunction'],
      resources: [this.actionTest.invocationTarget.arn],
      environment: { [ENVIRONMENT.actionTestFunction]: this.actionTest.invocationTarget.name },
    });
    return api;
  }

  #servePage({ stage, edge, login }: DashboardHostingProps): void {
    const behavior = {
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      cachePolicy: cloudfront.CachePolicy.CACHING_OPTIMIZED,
      responseHeadersPolicy: this.#securityHeaders(stage, login.connectSources),
      functionAssociations: [
        {
          eventType: cloudfront.FunctionEventType.VIEWER_REQUEST,
          function: new cloudfront.Function(this, 'Screens', {
            functionName: nameInAccount(stage, 'page'),
            code: cloudfront.FunctionCode.fromInline(SCREENS),
            runtime: cloudfront.FunctionRuntime.JS_2_0,
          }),
        },
      ],
    };
    for (const path of ['/dashboard', '/dashboard/*']) edge.distribution.addBehavior(path, edge.assets, behavior);

    const dashboardFiles = dashboardFolder();
    const assets = edge.publish(this, 'Assets', {
      destinationKeyPrefix: 'dashboard/assets',
      sources: [Source.asset(join(dashboardFiles, 'assets'))],
      cacheControl: CACHE_CONTROL.forever,
    });
    const page = edge.publish(this, 'Page', {
      destinationKeyPrefix: 'dashboard',
      sources: [
        Source.asset(join(dashboardFiles, 'page')),
        Source.data('third-party-notices.md', readFileSync(NOTICES, 'utf8')),
        Source.jsonData('config.json', {
          issuer: login.issuer,
          client_id: login.client.userPoolClientId,
          scope: `openid email ${login.scope}`,
        }),
      ],
      cacheControl: [CacheControl.noCache()],
      distribution: edge.distribution,
      distributionPaths: ['/dashboard', '/dashboard/*'],
    });
    // The assets must exist before the page that names them.
    page.node.addDependency(assets);
  }

  /** Allows no content of other origins and no inline content. Allows connections to the API, which has the origin of the page, and to the login. */
  #securityHeaders(stage: Stage, loginOrigins: readonly string[]): cloudfront.ResponseHeadersPolicy {
    const policy = [
      "default-src 'self'",
      `connect-src 'self' ${loginOrigins.join(' ')}`,
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    return new cloudfront.ResponseHeadersPolicy(this, 'Headers', {
      responseHeadersPolicyName: nameInAccount(stage, 'page'),
      securityHeadersBehavior: {
        ...SECURITY_HEADERS,
        contentSecurityPolicy: { contentSecurityPolicy: policy, override: true },
        frameOptions: { frameOption: cloudfront.HeadersFrameOption.DENY, override: true },
        referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.NO_REFERRER, override: true },
      },
      customHeadersBehavior: {
        customHeaders: [
          { header: 'Permissions-Policy', value: 'camera=(), geolocation=(), microphone=()', override: true },
        ],
      },
    });
  }
}

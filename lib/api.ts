import { Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, type HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Alarms, FIVE_MINUTES, LASTING_ERRORS } from './alarms.ts';
import { REQUEST_TIMEOUT, ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/**
 * No query string, header or body: nothing of a token, a secret or a visitor. The address is that of the connection: behind CloudFront
 * an edge's, else the caller's. An access log of an HTTP API cannot name a header, so the visitor's is in CloudFront's own log.
 */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  time: '$context.requestTimeEpoch',
  connected_ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
});

export type ApiProps = {
  readonly stage: Stage;
  readonly alarms: Alarms;
  /** The public routes cost money per request, so a flood is cut off for all before it is paid for by one. */
  readonly requestsPerSecond: number;
};

/** The HTTP API. Features add their routes; whatever is no route of theirs is answered 404. */
export class Api extends Construct {
  readonly http: HttpApi;
  readonly accessLog: LogGroup;

  constructor(scope: Construct, id: string, { stage, alarms, requestsPerSecond }: ApiProps) {
    super(scope, id);
    const notFound = new ServiceFunction(this, 'NotFound', {
      stage,
      folder: 'not-found',
      description: 'Answers requests to routes that do not exist',
      timeout: REQUEST_TIMEOUT,
      memorySize: 128,
    });
    this.http = new HttpApi(this, 'Http', {
      description: 'va-wave',
      defaultIntegration: new HttpLambdaIntegration('NotFound', notFound.fn),
      createDefaultStage: false,
    });
    this.accessLog = new LogGroup(this, 'AccessLog', {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: requestsPerSecond, burstLimit: 2 * requestsPerSecond },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    Validations.of(this.http).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'These routes are public: each authenticates by Origin, session token or server secret in its function.',
    });
    alarms.watch(this, [notFound]);
    alarms.raise(this, 'ServerErrors', {
      runbookEntry: 'server-errors',
      metric: this.http.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' }),
      // A customer's endpoint cannot cause these.
      ...LASTING_ERRORS,
    });
  }

  /** A public route, which its function guards. @param name of the integration */
  route(path: string, method: HttpMethod, name: string, { fn }: ServiceFunction): void {
    this.http.addRoutes({ path, methods: [method], integration: new HttpLambdaIntegration(name, fn) });
  }
}

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
 * The access log contains no query string, header or body, so no token, secret or visitor data. The address is that of the connection: of
 * CloudFront's edge, or of a caller that bypasses CloudFront. The access log of an HTTP API cannot contain a header, so the address of the visitor is
 * in CloudFront's own log.
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
  /** Requests per second for all callers together. Each request costs the operator money, so a flood is throttled for all. */
  readonly requestsPerSecond: number;
};

/** The HTTP API. Features add their routes. Every other path is answered with a 404. */
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
      // No customer's endpoint can cause these responses.
      ...LASTING_ERRORS,
    });
  }

  /** Adds a public route. Its function authenticates the request. @param name of the integration */
  route(path: string, method: HttpMethod, name: string, { fn }: ServiceFunction): void {
    this.http.addRoutes({ path, methods: [method], integration: new HttpLambdaIntegration(name, fn) });
  }
}

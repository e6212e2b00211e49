import { Names } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import * as apigatewayv2 from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { METRICS } from '../src/deployment/metrics.ts';
import { acknowledge } from './acknowledged-findings.ts';
import { FIVE_MINUTES, faultsOf, LASTING, LASTING_ERRORS, ownMetric } from './alarms.ts';
import type { Foundation } from './foundation.ts';
import { ServiceFunction } from './service-function.ts';

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
  function_request_id: '$context.integration.requestId',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
});

export type ServiceApiProps = Foundation & {
  /** Requests per second on all routes together. Each request costs the operator money, so a flood is throttled. */
  readonly requestsPerSecond: number;
};

/**
 * Each route's share of the requests per second. A flood of one route, such as of inits with the public id of a site, leaves the other routes
 * their shares. The share of the dashboard counts four times, once for each of its methods. All add up to one.
 */
const SHARES = {
  WidgetInit: 0.35,
  Preflight: 0.3,
  SessionCreate: 0.2,
  FormSubmit: 0.05,
  Dashboard: 0.02,
  Others: 0.02,
} as const;
export type RouteName = Exclude<keyof typeof SHARES, 'Others'>;

/** The part of the largest share whose use leaves time to allow more. */
const NEAR_THROTTLE = 0.8;
/** The least burst of a route: as many requests as a page of the dashboard makes at once. */
const BURST_MIN = 20;

const limitsOf = (name: keyof typeof SHARES, requestsPerSecond: number) => {
  const rateLimit = Math.max(1, Math.floor(SHARES[name] * requestsPerSecond));
  return { rateLimit, burstLimit: Math.max(BURST_MIN, 2 * rateLimit) };
};

/** The HTTP API. Features add their routes. Every other path is answered with a 404. */
export class ServiceApi extends Construct {
  readonly http: apigatewayv2.HttpApi;
  readonly accessLog: LogGroup;
  readonly #stage: apigatewayv2.HttpStage;
  readonly #requestsPerSecond: number;
  /** The throttles of the routes, by route key. The stage holds this object, and `throttle` fills it until the synthesis. */
  readonly #throttles: Record<string, { ThrottlingRateLimit: number; ThrottlingBurstLimit: number }> = {};

  constructor(scope: Construct, id: string, { stage, alarms, requestsPerSecond }: ServiceApiProps) {
    super(scope, id);
    this.#requestsPerSecond = requestsPerSecond;
    const notFound = new ServiceFunction(this, 'NotFound', {
      stage,
      folder: 'not-found',
      description: 'Answers requests to routes that do not exist',
      memorySize: 128,
    });
    this.http = new apigatewayv2.HttpApi(this, 'Http', {
      description: 'va-wave',
      defaultIntegration: new HttpLambdaIntegration('NotFound', notFound.callable),
      createDefaultStage: false,
    });
    // Below this prefix, API Gateway needs no statement of its own in the account's one policy for log groups, whose length is limited
    // (https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-troubleshooting-logging.html). The id of the API makes the name
    // unique, also when the log of a stack or a construct that was removed is still there.
    const logGroupName = `/aws/vendedlogs/va-wave/${Names.uniqueResourceName(this, { maxLength: 100 })}-${this.http.apiId}`;
    this.accessLog = new LogGroup(this, 'AccessLog', { ...stage.logs, logGroupName });
    this.#stage = new apigatewayv2.HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: limitsOf('Others', requestsPerSecond),
      accessLogSettings: {
        destination: new apigatewayv2.LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    const stageOfRoutes = this.#stage.node.defaultChild;
    if (!(stageOfRoutes instanceof apigatewayv2.CfnStage)) throw new Error(`${this.#stage.node.path} has no stage`);
    stageOfRoutes.routeSettings = this.#throttles;
    acknowledge(
      this.http,
      'These routes are public: each authenticates by Origin, session token or server secret in its function.',
      'APIG4',
    );
    alarms.watch(this, [notFound]);
    // What API Gateway throttles reaches no function and no metric of its own, and a metric for each route costs money. So the sum of all is
    // compared with init's share, the largest. Only the access log shows that a smaller share is used up.
    alarms.raise(this, 'NearThrottle', {
      runbookEntry: 'near-throttle',
      severity: 'ticket',
      metric: this.http.metricCount({ period: FIVE_MINUTES, statistic: 'Sum' }),
      threshold: Math.round(
        NEAR_THROTTLE * Math.max(...Object.values(SHARES)) * requestsPerSecond * FIVE_MINUTES.toSeconds(),
      ),
      ...LASTING,
    });
  }

  /**
   * Creates one alarm over the 500 of functions and the 5xx that API Gateway answers itself, because it may not or cannot invoke a function. An endpoint
   * raises it neither by its failures, each of them an attempt and a 502, nor when it uses up the executions of the function that waits for it.
   */
  watchServerErrors({ stage, alarms }: Foundation, formSubmit: ServiceFunction): void {
    const period = FIVE_MINUTES;
    const otherErrors = new MathExpression({
      expression: 'FILL(answered, 0) - FILL(forms, 0) - FILL(refused, 0)',
      period,
      usingMetrics: {
        answered: this.http.metricServerError({ period, statistic: 'Sum' }),
        forms: ownMetric(stage, METRICS.attempts).with({
          dimensionsMap: { trigger: 'form', service: stage.service },
        }),
        refused: formSubmit.fn.metricThrottles({ period }),
      },
    });
    const faults = new MathExpression({
      expression: 'MAX([FILL(failed, 0), otherErrors])',
      period,
      usingMetrics: { failed: ownMetric(stage, METRICS.failedRequests), otherErrors },
    });
    alarms.raise(this, 'ServerErrors', {
      runbookEntry: 'server-errors',
      metric: faultsOf('Faults', faults, this.http.metricCount({ period, statistic: 'Sum' })),
      ...LASTING_ERRORS,
      endsRelease: true,
    });
  }

  /** Adds a public route. Its function authenticates the request. @param name of the route, which decides its share */
  route(path: string, method: apigatewayv2.HttpMethod, name: RouteName, { callable }: ServiceFunction): void {
    const integration = new HttpLambdaIntegration(name, callable);
    this.throttle(name, this.http.addRoutes({ path, methods: [method], integration }));
  }

  throttle(name: RouteName, routes: readonly apigatewayv2.HttpRoute[]): void {
    const { rateLimit, burstLimit } = limitsOf(name, this.#requestsPerSecond);
    for (const route of routes) {
      const resource = route.node.defaultChild;
      if (!(resource instanceof apigatewayv2.CfnRoute)) throw new Error(`${route.node.path} has no route`);
      this.#throttles[resource.routeKey] = { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit };
      // The stage refuses settings of a route that does not exist.
      this.#stage.node.addDependency(resource);
    }
  }
}

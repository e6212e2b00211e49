import { Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

/** The public routes cost money per request, so a flood is cut off for all before it is paid for by one. */
const REQUESTS_PER_SECOND = 2000;
const REQUESTS_BURST = 4000;

/** No query string, header or body: nothing of a token, a secret or a visitor but the address. */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  time: '$context.requestTimeEpoch',
  ip: '$context.identity.sourceIp',
  route: '$context.routeKey',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  integration_status: '$context.integrationStatus',
  integration_error: '$context.integrationErrorMessage',
});

export type ApiProps = {
  readonly stage: Stage;
  readonly sessionCreate: ServiceFunction;
  readonly widgetInit: ServiceFunction;
  readonly formSubmit: ServiceFunction;
  readonly preflight: ServiceFunction;
  readonly notFound: ServiceFunction;
};

/** The routes of the spec's "Endpoints". CORS is ours (docs/architecture.md): the built-in one cannot know the site. */
export class Api extends Construct {
  readonly http: HttpApi;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const to = (name: string, fn: ServiceFunction) => new HttpLambdaIntegration(name, fn.fn);
    this.http = new HttpApi(this, 'Http', {
      description: 'va-wave',
      defaultIntegration: to('NotFound', props.notFound),
      createDefaultStage: false,
    });
    new HttpStage(this, 'Stage', {
      httpApi: this.http,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: REQUESTS_PER_SECOND, burstLimit: REQUESTS_BURST },
      accessLogSettings: {
        destination: new LogGroupLogDestination(
          new LogGroup(this, 'AccessLog', {
            retention: props.stage.logRetention,
            removalPolicy: props.stage.removalPolicy,
          }),
        ),
        format: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    Validations.of(this.http).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'These routes are public: each authenticates by Origin, session token or server secret in its function.',
    });
    this.http.addRoutes({
      path: '/api/widget/session/create',
      methods: [HttpMethod.POST],
      integration: to('SessionCreate', props.sessionCreate),
    });
    this.http.addRoutes({
      path: '/api/widget/init',
      methods: [HttpMethod.POST],
      integration: to('WidgetInit', props.widgetInit),
    });
    this.http.addRoutes({
      path: '/api/widgets/sites/{site_id}/forms/{slug}/submit',
      methods: [HttpMethod.POST],
      integration: to('FormSubmit', props.formSubmit),
    });
    this.http.addRoutes({
      path: '/api/{proxy+}',
      methods: [HttpMethod.OPTIONS],
      integration: to('Preflight', props.preflight),
    });
  }
}

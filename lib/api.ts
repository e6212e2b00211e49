import { HttpApi, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Construct } from 'constructs';
import type { ServiceFunction } from './service-function.ts';

export type ApiProps = {
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

import { Stack } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { ESCALATION_TOPIC_PREFIX } from '../src/contract/assistants.ts';
import { PUBLIC_OPERATIONS, type PublicOperation } from '../src/contract/public-operations.ts';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { acknowledgePolicies } from './acknowledged-findings.ts';
import { type Foundation, featureFunction } from './foundation.ts';
import type { RouteName, ServiceApi } from './service-api.ts';
import type { ServiceFunction } from './service-function.ts';

export type WidgetRoutesProps = Foundation & {
  readonly api: ServiceApi;
  /** Refuses requests of the widget that bypass the distribution and its web ACL. Session create is not affected, because customers' backends may call the API directly. */
  readonly distributionOnly: boolean;
};

/** The operations of the spec's "Endpoints". They answer CORS themselves: API Gateway's own cannot know the site. */
export class WidgetRoutes extends Construct {
  constructor(scope: Construct, id: string, props: WidgetRoutesProps) {
    super(scope, id);
    const { distributionOnly } = props;
    const sessionCreate = featureFunction(this, 'SessionCreate', props, {
      folder: 'session-create',
      description: 'Creates session tokens for customer backends',
      tableCalls: { configuration: ['GetItem'], counters: ['UpdateItem'] },
      secrets: ['tokenKeys', 'originSecret'],
    });
    const widgetInit = featureFunction(this, 'WidgetInit', props, {
      folder: 'widget-init',
      description: 'Authenticates a widget and begins or resumes its conversation',
      tableCalls: {
        configuration: ['GetItem', 'Query'],
        counters: ['UpdateItem'],
        conversations: ['GetItem', 'PutItem'],
      },
      secrets: ['tokenKeys', 'originSecret'],
    });
    props.messaging.allowPutEvents(widgetInit);
    const formSubmit = featureFunction(this, 'FormSubmit', props, {
      folder: 'form-submit',
      description: 'Cleans, signs and forwards form submissions',
      ...props.forEndpointCalls,
      tableCalls: {
        configuration: ['GetItem'],
        counters: ['UpdateItem'],
        conversations: ['GetItem', 'UpdateItem'],
        deliveryLog: ['PartiQLInsert', 'PartiQLUpdate'],
      },
      secrets: ['tokenKeys', 'sealingKey', 'originSecret'],
    });
    formSubmit.allow({
      actions: ['sns:Publish'],
      resources: [Stack.of(this).formatArn({ service: 'sns', resource: `${ESCALATION_TOPIC_PREFIX}*` })],
    });
    acknowledgePolicies(
      formSubmit,
      'The operator creates escalation topics at any time. The prefix excludes every other topic.',
    );
    const preflight = featureFunction(this, 'Preflight', props, {
      folder: 'preflight',
      description: 'Answers CORS preflights against the Domain of the assistant',
      tableCalls: { configuration: ['GetItem', 'Query'] },
      secrets: distributionOnly ? ['originSecret'] : [], // It tells the requests through the distribution.
    });
    for (const { fn } of [widgetInit, formSubmit, preflight]) {
      fn.addEnvironment(ENVIRONMENT.distributionOnly, String(distributionOnly));
    }
    const quick = [sessionCreate, widgetInit];
    props.alarms.watch(this, [...quick, formSubmit, preflight]);
    // A form submission takes as long as the customer's endpoint.
    props.alarms.watchLatency(this, quick);
    props.alarms.watchThrottles(this, [...quick, preflight]);
    props.api.watchServerErrors(props, formSubmit);
    const publicRoute = (operation: PublicOperation, name: RouteName, fn: ServiceFunction) => {
      const { method, path } = PUBLIC_OPERATIONS[operation];
      props.api.route(path, HttpMethod[method], name, fn);
    };
    publicRoute('createSession', 'SessionCreate', sessionCreate);
    publicRoute('initWidget', 'WidgetInit', widgetInit);
    publicRoute('submitForm', 'FormSubmit', formSubmit);
    props.api.route('/api/{proxy+}', HttpMethod.OPTIONS, 'Preflight', preflight);
  }
}

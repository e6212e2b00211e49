import { Stack } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { ESCALATION_TOPIC_PREFIX } from '../src/contract/assistants.ts';
import { PUBLIC_OPERATIONS, type PublicOperation } from '../src/contract/public-operations.ts';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { acknowledgePolicies } from './acknowledged-findings.ts';
import type { Foundation } from './foundation.ts';
import type { RouteName, ServiceApi } from './service-api.ts';
import { ServiceFunction } from './service-function.ts';

export type WidgetRoutesProps = Foundation & {
  readonly api: ServiceApi;
  /** Refuses requests of the widget that bypass the distribution and its web ACL. Session create is not affected, because customers' backends may call the API directly. */
  readonly distributionOnly: boolean;
};

/**
 * The three operations that the spec's section "Endpoints" describes as POST, and their preflights. The functions answer CORS themselves,
 * because API Gateway's CORS cannot know the site.
 */
export class WidgetRoutes extends Construct {
  constructor(scope: Construct, id: string, props: WidgetRoutesProps) {
    super(scope, id);
    const sessionCreate = this.#sessionCreate(props);
    const widgetInit = this.#widgetInit(props);
    const formSubmit = this.#formSubmit(props);
    const preflight = this.#preflight(props);
    for (const { fn } of [widgetInit, formSubmit, preflight]) {
      fn.addEnvironment(ENVIRONMENT.distributionOnly, String(props.distributionOnly));
    }
    props.alarms.watch(this, [sessionCreate, widgetInit, formSubmit, preflight]);
    // A form submission takes as long as the customer's endpoint.
    props.alarms.watchLatency(this, [sessionCreate, widgetInit]);
    props.alarms.watchThrottles(this, [sessionCreate, widgetInit, preflight]);
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

  #sessionCreate({ stage, tables, keys }: WidgetRoutesProps): ServiceFunction {
    const sessionCreate = new ServiceFunction(this, 'SessionCreate', {
      stage,
      folder: 'session-create',
      description: 'Creates session tokens for customer backends',
    });
    tables.configuration.allow(sessionCreate, 'GetItem');
    tables.counters.allow(sessionCreate, 'UpdateItem');
    keys.allowRead(sessionCreate, 'tokenKeys');
    keys.allowRead(sessionCreate, 'originSecret');
    return sessionCreate;
  }

  #widgetInit({ stage, tables, keys, messaging }: WidgetRoutesProps): ServiceFunction {
    const widgetInit = new ServiceFunction(this, 'WidgetInit', {
      stage,
      folder: 'widget-init',
      description: 'Authenticates a widget and begins or resumes its conversation',
    });
    tables.configuration.allow(widgetInit, 'GetItem', 'Query');
    tables.counters.allow(widgetInit, 'UpdateItem');
    tables.conversations.allow(widgetInit, 'GetItem', 'PutItem');
    keys.allowRead(widgetInit, 'tokenKeys');
    keys.allowRead(widgetInit, 'originSecret');
    messaging.allowPutEvents(widgetInit);
    return widgetInit;
  }

  #formSubmit({ stage, tables, keys, forEndpointCalls }: WidgetRoutesProps): ServiceFunction {
    const formSubmit = new ServiceFunction(this, 'FormSubmit', {
      stage,
      folder: 'form-submit',
      description: 'Cleans, signs and forwards form submissions',
      ...forEndpointCalls,
    });
    tables.configuration.allow(formSubmit, 'GetItem');
    tables.counters.allow(formSubmit, 'UpdateItem');
    tables.conversations.allow(formSubmit, 'GetItem', 'UpdateItem');
    tables.deliveryLog.allow(formSubmit, 'PartiQLInsert', 'PartiQLUpdate');
    keys.allowRead(formSubmit, 'tokenKeys');
    keys.allowRead(formSubmit, 'sealingKey');
    keys.allowRead(formSubmit, 'originSecret');
    formSubmit.allow({
      actions: ['sns:Publish'],
      resources: [Stack.of(this).formatArn({ service: 'sns', resource: `${ESCALATION_TOPIC_PREFIX}*` })],
    });
    acknowledgePolicies(
      formSubmit,
      'The operator creates escalation topics at any time. The prefix excludes every other topic.',
    );
    return formSubmit;
  }

  #preflight({ stage, tables, keys, distributionOnly }: WidgetRoutesProps): ServiceFunction {
    const preflight = new ServiceFunction(this, 'Preflight', {
      stage,
      folder: 'preflight',
      description: 'Answers CORS preflights against the Domain of the assistant',
    });
    tables.configuration.allow(preflight, 'GetItem', 'Query');
    if (distributionOnly) keys.allowRead(preflight, 'originSecret'); // It tells the requests through the distribution.
    return preflight;
  }
}

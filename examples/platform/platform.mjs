import { VaWave } from '@va-wave/cdk';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';

/** A platform with a bus, logins, a key and an alarm topic of its own. va-wave uses these, and creates what is left out. */
export class Platform extends Stack {
  /**
   * @param {import('constructs').Construct} scope
   * @param {string} id
   */
  constructor(scope, id) {
    super(scope, id);
    const bus = new EventBus(this, 'Bus');
    const alarms = new Topic(this, 'Alarms');
    const userPool = new UserPool(this, 'People', { signInAliases: { email: true }, autoVerify: { email: true } });
    const chat = new VaWave(this, 'Chat', {
      stage: 'dev',
      bus,
      userPool,
      encryptionKey: new Key(this, 'Key', { enableKeyRotation: true }),
      alarmTopic: alarms,
    });

    // The role of the program in ../assistant-runtime, which gets these outputs in its environment.
    const runtime = new Role(this, 'AssistantRuntime', { assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com') });
    chat.grantPutEvents(runtime);
    chat.grantCallTools(runtime);
    chat.grantReportUsage(runtime);
    new CfnOutput(this, 'AiActionFunction', { value: chat.aiAction.functionName });
    new CfnOutput(this, 'UsageReportFunction', { value: chat.usageReport.functionName });
    new CfnOutput(this, 'EventBus', { value: bus.eventBusName });

    // What va-wave reports of endpoints: one has failed for an hour. The bus also has the conversations that va-wave begins.
    const reports = new Queue(this, 'Reports', { enforceSSL: true });
    new Rule(this, 'Reported', {
      eventBus: bus,
      eventPattern: { source: ['va-wave'], detailType: ['va-wave.endpoint.failing'] },
      targets: [new SqsQueue(reports)],
    });
    new CfnOutput(this, 'ReportsQueue', { value: reports.queueUrl });
    chat
      .metricEndpointsFailing()
      .createAlarm(this, 'EndpointsFailing', { threshold: 1, evaluationPeriods: 1 })
      .addAlarmAction(new SnsAction(alarms));
  }
}

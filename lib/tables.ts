import {
  AttributeType,
  BillingMode,
  type ITable,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../src/deployment/environment.ts';
import { type Alarms, FIVE_MINUTES, LASTING_ERRORS, sum } from './alarms.ts';
import type { VaWaveProps } from './deployment-options.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

export type TableCall =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'ConditionCheckItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'PartiQLInsert' // PartiQL is for many writes in one call, each with its own condition.
  | 'PartiQLUpdate';

type ServiceTableProps = {
  readonly stage: Stage;
  readonly environmentName: string;
  readonly existingTable?: ITable | undefined;
  /** What a new table has other than the others. */
  readonly differs?: Partial<TableProps>;
  /** Further variables for functions that may use the table. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** A table, on demand and recoverable to any second of the last 35 days. The keys are `pk` and `sk`, and the expiry is `expires_at` (unix seconds). */
export class ServiceTable extends Construct {
  readonly table: ITable;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    super(scope, id);
    this.table = props.existingTable ?? this.#newTable(props);
    this.#environment = { ...props.environment, [props.environmentName]: this.table.tableName };
  }

  #newTable({ stage, differs }: ServiceTableProps): Table {
    const { encryptionKey } = stage;
    return new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      timeToLiveAttribute: 'expires_at',
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: encryptionKey === undefined ? TableEncryption.DEFAULT : TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: stage.dataRemovalPolicy,
      deletionProtection: stage.deletionProtection,
      ...differs,
    });
  }

  allow(fn: ServiceFunction, calls: readonly TableCall[]): void {
    if (calls.length === 0) return;
    fn.allow({
      actions: calls.map((call) => `dynamodb:${call}`),
      resources: [this.table.tableArn],
      environment: this.#environment,
    });
  }
}

export type TablesProps = Pick<
  VaWaveProps,
  'configurationTable' | 'conversationsTable' | 'deliveryLogTable' | 'deliveryLogRecovery'
> & {
  readonly stage: Stage;
  readonly alarms: Alarms;
};

export const TABLE_NAMES = ['configuration', 'counters', 'conversations', 'deliveryLog'] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** The four tables, one for each lifetime of data (docs/architecture.md). */
export class ServiceTables extends Construct implements Readonly<Record<TableName, ServiceTable>> {
  readonly configuration: ServiceTable;
  readonly counters: ServiceTable;
  readonly conversations: ServiceTable;
  readonly deliveryLog: ServiceTable;

  constructor(scope: Construct, id: string, props: TablesProps) {
    super(scope, id);
    const { stage, alarms } = props;
    this.configuration = new ServiceTable(this, 'Configuration', {
      stage,
      environmentName: ENVIRONMENT.configurationTable,
      existingTable: props.configurationTable,
    });
    this.counters = new ServiceTable(this, 'Counters', {
      stage,
      environmentName: ENVIRONMENT.countersTable,
      differs: { sortKey: undefined },
    });
    this.conversations = new ServiceTable(this, 'Conversations', {
      stage,
      environmentName: ENVIRONMENT.conversationsTable,
      existingTable: props.conversationsTable,
    });
    this.deliveryLog = new ServiceTable(this, 'DeliveryLog', {
      stage,
      environmentName: ENVIRONMENT.deliveryLogTable,
      existingTable: props.deliveryLogTable,
      // Recovery is priced by the stored bytes, and records are kept for days only, unless the operator asks for it.
      differs: { pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: props.deliveryLogRecovery === true } },
      environment: { [ENVIRONMENT.deliveryLogRetentionDays]: String(stage.deliveryLogRetentionDays) },
    });
    const throttles = sum(
      'Tables: throttles',
      TABLE_NAMES.flatMap((table) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
          this[table].table.metric(name, { period: FIVE_MINUTES, statistic: 'Sum' }),
        ),
      ),
    );
    // A tenant alone can use up a key of its own. What fails of it raises the alarms on errors.
    const rule = { runbookEntry: 'table-throttles', severity: 'ticket', ...LASTING_ERRORS } as const;
    alarms.raise(this, 'Throttles', { ...rule, metric: throttles });
  }
}

import { RemovalPolicy } from 'aws-cdk-lib';
import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, type ITable, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { type Capacity, NEW_TABLE } from '../src/contract/capacity.ts';
import { ENVIRONMENT } from '../src/contract/environment.ts';
import { type Alarms, FIVE_MINUTES, LASTING_ERRORS, sum } from './alarms.ts';
import type { DeploymentOptions } from './deployment-options.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Stage } from './stage.ts';

type Call =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'PartiQLInsert'
  | 'PartiQLUpdate';

type ServiceTableProps = {
  readonly sortKey: boolean;
  readonly timeToLive: boolean;
  /** Undefined for a table that is useless without the stack. */
  readonly stage: Stage | undefined;
  readonly environmentName: string;
  /** Name of an existing table to use. @default a new table */
  readonly existing?: string | undefined;
  /** Point-in-time recovery. @default true */
  readonly recovery?: boolean;
  /** Units per second that the table takes at once from its creation on. @default DynamoDB's */
  readonly warm?: { readonly writes?: number; readonly reads?: number } | undefined;
  /** Write units per second up to which the capacity grows. @default the capacity is on demand */
  readonly provisionedWrites?: number | undefined;
  /** Further environment variables for functions that may use the table. */
  readonly environment?: Readonly<Record<string, string>>;
};

/** A table, on demand and recoverable to any second of the last 35 days unless an option says otherwise. The keys are `pk` and `sk`, and the expiry is `expires_at` (unix seconds). */
export class ServiceTable extends Construct {
  readonly table: ITable;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(scope: Construct, id: string, props: ServiceTableProps) {
    super(scope, id);
    this.table =
      props.existing === undefined ? this.#newTable(props) : Table.fromTableName(this, 'ExistingTable', props.existing);
    this.#environment = { ...props.environment, [props.environmentName]: this.table.tableName };
  }

  #newTable(props: ServiceTableProps): Table {
    const { warm, provisionedWrites } = props;
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      ...(props.sortKey ? { sortKey: { name: 'sk', type: AttributeType.STRING } } : {}),
      ...(props.timeToLive ? { timeToLiveAttribute: 'expires_at' } : {}),
      ...(provisionedWrites === undefined
        ? { billingMode: BillingMode.PAY_PER_REQUEST }
        : { billingMode: BillingMode.PROVISIONED, readCapacity: CAPACITY_MIN, writeCapacity: CAPACITY_MIN }),
      ...(warm === undefined
        ? {}
        : {
            warmThroughput: {
              writeUnitsPerSecond: Math.max(NEW_TABLE.writes, warm.writes ?? 0),
              readUnitsPerSecond: Math.max(NEW_TABLE.reads, warm.reads ?? 0),
            },
          }),
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: props.recovery ?? true },
      removalPolicy: props.stage?.dataRemovalPolicy ?? RemovalPolicy.DESTROY,
      deletionProtection: props.stage?.deletionProtection ?? false,
    });
    if (provisionedWrites !== undefined) {
      const scaling = {
        minCapacity: CAPACITY_MIN,
        maxCapacity: Math.max(CAPACITY_MIN, Math.ceil(provisionedWrites / UTILIZATION)),
      };
      const target = { targetUtilizationPercent: 100 * UTILIZATION };
      table.autoScaleWriteCapacity(scaling).scaleOnUtilization(target);
      table.autoScaleReadCapacity(scaling).scaleOnUtilization(target);
    }
    return table;
  }

  /** Allows a function these calls and passes it the name of the table. */
  allow(fn: ServiceFunction, ...calls: readonly Call[]): void {
    fn.allow({
      actions: calls.map((call) => `dynamodb:${call}`),
      resources: [this.table.tableArn],
      environment: this.#environment,
    });
  }
}

/** Provisioned capacity: the least, in units per second, and the part of it that is in use while it does not grow. */
const CAPACITY_MIN = 25;
const UTILIZATION = 0.7;

export type TablesProps = Pick<
  DeploymentOptions,
  | 'configurationTable'
  | 'conversationsTable'
  | 'deliveryLogTable'
  | 'deliveryLogRetentionDays'
  | 'deliveryLogCapacity'
  | 'warmTables'
> & {
  readonly stage: Stage;
  readonly alarms: Alarms;
  /** What the expected deliveries need. @default none */
  readonly expected: Capacity | undefined;
};

/** The four tables, one for each lifetime of data (docs/architecture.md). */
export class Tables extends Construct {
  readonly configuration: ServiceTable;
  readonly counters: ServiceTable;
  readonly conversations: ServiceTable;
  readonly deliveryLog: ServiceTable;
  /** Throttled reads and writes of all tables. */
  readonly throttles: IMetric;

  constructor(scope: Construct, id: string, props: TablesProps) {
    super(scope, id);
    const { stage, alarms, expected } = props;
    const warm = props.warmTables ? expected : undefined;
    const retentionDays = props.deliveryLogRetentionDays ?? stage.deliveryLogRetentionDays;
    this.configuration = new ServiceTable(this, 'Configuration', {
      sortKey: true,
      timeToLive: false,
      stage,
      environmentName: ENVIRONMENT.configurationTable,
      existing: props.configurationTable,
      warm: warm && { reads: warm.configurationReads },
    });
    // Counters expire within a day, so this table is deleted with the stack.
    this.counters = new ServiceTable(this, 'Counters', {
      sortKey: false,
      timeToLive: true,
      stage: undefined,
      environmentName: ENVIRONMENT.countersTable,
    });
    this.conversations = new ServiceTable(this, 'Conversations', {
      sortKey: true,
      timeToLive: true,
      stage,
      environmentName: ENVIRONMENT.conversationsTable,
      existing: props.conversationsTable,
    });
    this.deliveryLog = new ServiceTable(this, 'DeliveryLog', {
      sortKey: true,
      timeToLive: true,
      stage,
      environmentName: ENVIRONMENT.deliveryLogTable,
      existing: props.deliveryLogTable,
      recovery: false,
      warm: warm && { writes: warm.logWrites },
      provisionedWrites: props.deliveryLogCapacity === 'provisioned' ? expected?.logWrites : undefined,
      environment: { [ENVIRONMENT.deliveryLogRetentionDays]: String(retentionDays) },
    });
    const tables = [this.configuration, this.counters, this.conversations, this.deliveryLog];
    this.throttles = sum(
      'Tables: throttles',
      tables.flatMap(({ table }) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
          table.metric(name, { period: FIVE_MINUTES, statistic: 'Sum' }),
        ),
      ),
    );
    alarms.raise(this, 'Throttles', { runbookEntry: 'table-throttles', metric: this.throttles, ...LASTING_ERRORS });
  }
}

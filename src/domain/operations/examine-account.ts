/** What an account says of itself before the first deploy. Undefined is what it did not say. */
export type AccountFacts = {
  readonly region: string;
  /** Lambda's quota "Concurrent executions". */
  readonly concurrency: number | undefined;
  /** Write units a second that DynamoDB lets one on-demand table take. */
  readonly tableWriteUnits: number | undefined;
  /** State of the stack CDKToolkit, which `cdk bootstrap` makes. */
  readonly toolkit: string | undefined;
  /** State of the stack itself. */
  readonly stack: string | undefined;
};

export type Examined = {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do; empty when nothing is. */
  readonly advice: string;
};

/** What an account usually has, and the defaults of the stack are made for. */
const USUAL_CONCURRENCY = 1000;
const USUAL_TABLE_WRITES = 40_000;

const UNSUPPORTED = /^(cn|us-gov|us-iso|eu-isoe)[a-z]*-/;
const FAILED = /^(ROLLBACK_COMPLETE|ROLLBACK_FAILED|CREATE_FAILED|DELETE_FAILED|UPDATE_ROLLBACK_FAILED)$/;

/** Says of each fact whether a deployment can begin, and what to do where it cannot. docs/deploying.md has the reasons. */
export function examineAccount(facts: AccountFacts, stackName: string): readonly Examined[] {
  return [region(facts), toolkit(facts), concurrency(facts), tableWrites(facts), stack(facts, stackName)];
}

function region({ region: name }: AccountFacts): Examined {
  const ok = !UNSUPPORTED.test(name);
  return { check: 'region', ok, found: name, advice: ok ? '' : 'Choose another region: this one is not supported' };
}

function toolkit({ region: name, toolkit: state }: AccountFacts): Examined {
  const ok = state !== undefined && !FAILED.test(state);
  return {
    check: 'cdk bootstrap',
    ok,
    found: state ?? 'not done',
    advice: ok ? '' : `Run npx cdk bootstrap in ${name}`,
  };
}

function concurrency({ concurrency: quota }: AccountFacts): Examined {
  const check = 'concurrent executions';
  if (quota === undefined) return unknown(check, 'lambda:GetAccountSettings');
  const ok = quota >= USUAL_CONCURRENCY;
  return {
    check,
    ok,
    found: String(quota),
    advice: ok
      ? ''
      : `Deploy with -c accountConcurrency=${quota}, and ask AWS for ${USUAL_CONCURRENCY} (Service Quotas, Lambda, Concurrent executions)`,
  };
}

function tableWrites({ tableWriteUnits: quota }: AccountFacts): Examined {
  const check = 'write units of a table';
  if (quota === undefined) return unknown(check, 'dynamodb:DescribeLimits');
  const ok = quota >= USUAL_TABLE_WRITES;
  return {
    check,
    ok,
    found: String(quota),
    advice: ok ? '' : `Enough for ${Math.floor(quota / 4)} deliveries a second; ask AWS for more before you need more`,
  };
}

function stack({ stack: state }: AccountFacts, name: string): Examined {
  const ok = state === undefined || !FAILED.test(state);
  return {
    check: `stack ${name}`,
    ok,
    found: state ?? 'not deployed yet',
    advice: ok ? '' : 'Clean up as docs/deploying.md says, then deploy again',
  };
}

const unknown = (check: string, permission: string): Examined => ({
  check,
  ok: false,
  found: 'unknown',
  advice: `Allow ${permission}, and ask again`,
});

import { type AccessKeys, Authorizer } from '../../../../local/cloud/access/authorizer.ts';
import { gateway as gatewayOf, jsonRefusal } from '../../../../local/cloud/gateway.ts';

const role = { logicalId: 'Role', arn: 'arn:aws:iam::000000000000:role/role', trust: [], statements: [] };
const keys: AccessKeys = new Map([['KEY', { kind: 'function', functionId: 'Fn', sessionArn: 'session', role }]]);

test('batches wait while 32 calls of functions wait, and all of them go on when one call ends', async () => {
  const ends: (() => void)[] = [];
  const answer = async () => {
    await new Promise<void>((resolve) => ends.push(resolve));
    return { status: 200, headers: {}, body: '' };
  };
  const slow = { answer, refuse: jsonRefusal };
  const gateway = gatewayOf({ keys, authorizer: new Authorizer(), services: { slow }, onFault: () => {} });
  const headers = { authorization: 'Credential=KEY/20200101/us-east-1/slow/aws4_request' };
  const call = () => gateway.call({ method: 'POST', path: '/', headers, body: Buffer.alloc(0) });
  const calls = Array.from({ length: 31 }, call);
  await gateway.ready();
  calls.push(call());
  const went: number[] = [];
  const waiting = [1, 2].map((each) => gateway.ready().then(() => went.push(each)));
  await Promise.resolve();
  expect(went).toEqual([]);
  ends.pop()?.();
  await Promise.all(waiting);
  expect(went).toEqual([1, 2]);
  for (const end of ends) end();
  await Promise.all(calls);
});

test('an operation that demands no permission is a fault, so that no grant is forgotten', async () => {
  const faults: string[] = [];
  const open = { answer: async () => ({ status: 200, headers: {}, body: 'secret' }), refuse: jsonRefusal };
  const gateway = gatewayOf({
    ...{ keys, authorizer: new Authorizer(), services: { open } },
    onFault: (message) => faults.push(message),
  });
  const headers = { authorization: 'Credential=KEY/20200101/us-east-1/open/aws4_request' };
  const answer = await gateway.call({ method: 'POST', path: '/', headers, body: Buffer.alloc(0) });
  expect([answer.status, String(answer.body).includes('secret')]).toEqual([500, false]);
  expect(faults).toEqual([expect.stringContaining('has demanded no permission')]);
});

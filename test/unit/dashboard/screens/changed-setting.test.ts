import { changedSetting } from '../../../../dashboard/src/screens/changed-setting.ts';
import { ERASED } from '../../../../src/contract/retention.ts';
import { auditValues } from '../../../../src/domain/organizations/changes.ts';

const long = 'x'.repeat(600);

test.each([
  [['Setting', 'Shop', 'Store'], 'name', 'Shop', 'Store'],
  [['Setting', 'not set', 'Finds an order'], 'description', null, 'Finds an order'],
  [['Setting: changed after its beginning'], 'description', `${long} a`, `${long} b`],
  [['Setting: another query'], 'url', 'https://crm.example/?a=1', 'https://crm.example/?a=2'],
  [['Setting: changed after its beginning'], 'url', `https://crm.example/${long}/a`, `https://crm.example/${long}/b`],
  [['Setting: erased'], 'description', ERASED, ERASED],
  [['Setting: erased'], 'url', ERASED, ERASED],
  [['Setting', 'erased', 'Shop'], 'name', ERASED, 'Shop'],
])('the audit trail shows %j', (shown, field, before, after) => {
  const changes = auditValues([field], { [field]: before }, { [field]: after });
  expect(changes.map((change) => changedSetting('Setting', change))).toEqual([shown]);
});

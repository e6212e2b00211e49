import { unmarshall } from '@aws-sdk/util-dynamodb';
import { KEYS, readAction, readAssistant } from '../../../../src/adapters/dynamodb/configuration-items.ts';
import { NewerItem, UnreadableItem } from '../../../../src/adapters/dynamodb/stored-items.ts';
import { anAssistant, anEventAction, ORG_ID } from '../../../fakes/configuration.ts';

const TABLE = 'configuration';
const action = anEventAction();
const item = { ...KEYS.action(ORG_ID, action.action_id), v: 1, action };

/** Converts the text of a response of DynamoDB as the SDK does. */
const fromWire = (text: string) => unmarshall(JSON.parse(text));

test('an entity whose ids do not match its key is refused', () => {
  for (const other of [{ org_id: 'org_other' }, { action_id: 'act_other' }]) {
    expect(() => readAction(TABLE, { ...item, action: { ...action, ...other } })).toThrow(UnreadableItem);
  }
  const assistant = anAssistant({ site_id: 'site_other' });
  expect(() => readAssistant(TABLE, { ...KEYS.assistant('site_this'), assistant })).toThrow(UnreadableItem);
});

test('an item without a version is of the first one, and a version that is no number or too new is refused', () => {
  for (const v of [undefined, 0.5, 1]) expect(readAction(TABLE, { ...item, v }).action).toEqual(action);
  for (const v of ['1', 3]) expect(() => readAction(TABLE, { ...item, v })).toThrow(NewerItem);
});

test.each([
  ['an item', '{"pk":{"S":"a"},"sk":{"S":"b"},"__proto__":{"M":{"action":{"M":{"enabled":{"BOOL":true}}}}}}'],
  ['a map in it', '{"pk":{"S":"a"},"sk":{"S":"b"},"action":{"M":{"__proto__":{"M":{"enabled":{"BOOL":true}}}}}}'],
  [
    'a list in it',
    '{"pk":{"S":"a"},"sk":{"S":"b"},"action":{"L":[{"M":{"__proto__":{"M":{"enabled":{"BOOL":true}}}}}]}}',
  ],
])('%s does not inherit from an attribute called __proto__', (_, text) => {
  expect(() => readAction(TABLE, fromWire(text))).toThrow(
    'Table configuration holds an item that cannot be read, a / b: an attribute is called __proto__',
  );
  expect({}).not.toHaveProperty('enabled');
});

test('an attribute called constructor is read like any other', () => {
  const named = { ...item, action: { ...action, constructor: 'later', toString: { on: true } } };
  expect(readAction(TABLE, named).action).toEqual(named.action);
});

test.each([
  ['{"type":"object","properties":{"TellNobody":{"type":"TellNobody"}},"required":[]}', /Invalid option/],
  ['{"TellNobody":', /it is not JSON/],
  [{ type: 'object', properties: {}, required: [] }, /expected string/],
])('the error of %j as parameters names the attribute and no content', (parameters, problem) => {
  const trigger = { trigger: 'AI-decided', description: 'TellNobody', feed_response_back: false, parameters };
  const reading = () => readAction(TABLE, { ...item, action: { ...action, ...trigger } });
  expect(reading).toThrow(problem);
  expect(reading).toThrow(/holds an item that cannot be read, ORG#org_a+ \/ ACTION#act_event: action\.parameters: /);
  expect(reading).not.toThrow(/TellNobody/);
});

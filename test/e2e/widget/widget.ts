import { testAccessibility } from './accessibility.ts';
import { testCommands } from './commands.ts';
import { testConversation } from './conversation.ts';
import { testEmbedding } from './embedding.ts';
import { testForms } from './forms.ts';
import { type Harness, startHarness } from './harness.ts';
import { testLanguages } from './languages.ts';

/**
 * Tests the widget with a fake service. All tests use one browser, and each opens its page in a new context.
 * @param full on every size of screen, in every mode of the browser, and with the speed of the page
 */
export function describeWidget(full: boolean): void {
  let harness: Harness;
  const shared = () => harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness?.stop());

  describe('forms', () => testForms(shared));
  describe('embedding', () => testEmbedding(shared, full));
  describe('accessibility', () => testAccessibility(shared, full));
  describe('languages', () => testLanguages(shared));
  describe('commands', () => testCommands(shared));
  describe('conversation', () => testConversation(shared, full));
}

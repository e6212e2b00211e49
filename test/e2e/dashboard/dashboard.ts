import { testFields } from './fields.ts';
import { testFirstDay } from './first-day.ts';
import { testFormOrder } from './form-order.ts';
import { testInput } from './input.ts';
import { testManyAssistants } from './many.ts';
import { testOrganization } from './organization.ts';
import { testScreens } from './screens.ts';
import { testSessions } from './session.ts';
import { type StartedDashboard, startDashboard } from './started-dashboard.ts';
import { testTrouble } from './trouble.ts';

/** Each part has its organization, and most of them use the page of one admin of all organizations. */
const PARTS = ['first-day', 'free', 'screens', 'organization', 'many', 'form-order', 'fields', 'trouble', 'input'];

/**
 * Tests the dashboard. All tests use one service and one browser, whose start takes as long as several tests.
 * @param full in every combination of width and color scheme
 */
export function describeDashboard(full: boolean): void {
  let dashboard: StartedDashboard;
  const started = () => dashboard;
  beforeAll(async () => {
    dashboard = await startDashboard(PARTS.map((part) => `${part}.example`));
  });
  afterAll(() => dashboard?.stop());

  describe('the first day', () => testFirstDay(started));
  describe('sessions', () => testSessions(started));
  describe('every screen', () => testScreens(started, full));
  describe('the organization and the theme', () => testOrganization(started));
  describe('a member of an organization with many assistants and Actions', () => testManyAssistants(started, full));
  describe('the order of forms and fields', () => testFormOrder(started));
  describe('fields and focus', () => testFields(started));
  describe('when something goes wrong', () => testTrouble(started));
  describe('clicks and input', () => testInput(started));
}

import { useState } from 'react';
import type { ActionView, DashboardBody, TestResult } from '../../../src/contract/dashboard.ts';
import { useDashboard } from '../parts/context.ts';
import { ApiError, isSessionEnd } from '../session/problems.ts';

type Change = DashboardBody<'testAction'>['change'];

/** A test of an Action: its result, or why the service did not send it, and when it sends the next one. */
export type Tested = { readonly action: ActionView; readonly change: Change } & (
  | { readonly result: TestResult }
  | { readonly error: unknown; readonly nextAt: Date | undefined }
);

export type Tests = ReturnType<typeof useTest>;

/** Sends tests, and keeps the last one for its dialog. */
export function useTest() {
  const { api, organization } = useDashboard();
  const [lastTest, setLastTest] = useState<Tested>();
  const [testing, setTesting] = useState(false);
  /** Tests an Action with settings that are not saved. @param showsElsewhere returns whether it shows a failure elsewhere, without the dialog */
  const test = async (action: ActionView, change: Change, showsElsewhere: (error: unknown) => boolean) => {
    const about = { action, change };
    setTesting(true);
    try {
      const ids = { org_id: organization.org_id, action_id: action.action_id };
      const result = await api('testAction', ids, { body: { change } });
      setLastTest({ ...about, result });
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      const nextAt = seconds === undefined ? undefined : new Date(Date.now() + seconds * 1000);
      setLastTest(isSessionEnd(error) || showsElsewhere(error) ? undefined : { ...about, error, nextAt });
    } finally {
      setTesting(false);
    }
  };
  return { lastTest, testing, test, close: () => setLastTest(undefined) };
}

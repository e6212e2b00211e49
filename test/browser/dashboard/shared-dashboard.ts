import { atEndOfRun } from '../../harness/at-end.ts';
import { startDashboard } from './started-dashboard.ts';

/** The service and the browser that all parts of the suite share: their start takes as long as several tests. */
export const dashboard = await startDashboard();
atEndOfRun(() => dashboard.stop());

/** The page of the admin of all organizations. Each part has its organization, and enters it. */
export const { page } = dashboard.admin;
export const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Leaves the form of an Action, and confirms that its input is discarded. */
export const discard = async () => {
  await button('Cancel').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
};

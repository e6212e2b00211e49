import type { Page, Route } from 'playwright-core';

/**
 * Answers what a page asks for at some addresses, until the returned function is called or the test ends. The browser then still intercepts: with
 * its last route Playwright ends that, and a request that the page makes at this moment has no answer. A load of such a page has no cache, and
 * takes a third longer.
 */
export async function intercept(
  page: Page,
  addresses: string | RegExp,
  answer: (route: Route) => unknown,
): Promise<() => void> {
  const { currentTestName } = expect.getState();
  let isOver = false;
  await page.route(addresses, (route) =>
    isOver || expect.getState().currentTestName !== currentTestName ? route.fallback() : answer(route),
  );
  return () => {
    isOver = true;
  };
}

import { SESSION_CREATE_PER_MINUTE } from '../../src/contract/limits.ts';
import { OUTPUTS } from '../../src/contract/outputs.ts';
import { type Check, expectThat } from './check.ts';

/** The rate limit counts requests per address. A caller who could choose that address would have no limit. */
export const forgedAddress = (name: string, base: keyof typeof OUTPUTS): Check => ({
  name: `A forged CloudFront-Viewer-Address changes nothing ${name}`,
  run: async ({ output }) => {
    const statuses: number[] = [];
    for (let i = 0; i <= SESSION_CREATE_PER_MINUTE; i++) {
      const answer = await fetch(`${output(OUTPUTS[base])}/api/widget/session/create`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-server-key': 'ss_verification',
          'cloudfront-viewer-address': `203.0.113.${i}:443`,
          'x-forwarded-for': `203.0.113.${i}`,
        },
        body: '{}',
      });
      statuses.push(answer.status);
    }
    expectThat(statuses.includes(401) || statuses[0] === 429, `the first answers were ${statuses.slice(0, 3)}`);
    expectThat(
      statuses.at(-1) === 429,
      `the last answer was ${statuses.at(-1)}: the limit counted each forged address separately`,
    );
    return `refused after ${statuses.indexOf(429)} requests`;
  },
});

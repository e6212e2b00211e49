import { dashboardSize } from '../../bench/pages/dashboard-files.ts';
import { readDocument } from './documents.ts';

test('docs/dashboard.md states the size of the built dashboard to two percent', () => {
  const row = /All files, gzip \| (\d+) KB in some (\d+) files/.exec(readDocument('docs/dashboard.md').text);
  const { kilobytes, files } = dashboardSize();
  expect(Math.abs(files - Number(row?.[2]))).toBeLessThan(5);
  expect(Math.abs(kilobytes / Number(row?.[1]) - 1)).toBeLessThan(0.02);
});

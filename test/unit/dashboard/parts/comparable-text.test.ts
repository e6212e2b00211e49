import { comparableText } from '../../../../dashboard/src/parts/comparable-text.ts';

test.each([
  ['Zu\u0308rich', 'Z\u00fcrich'],
  ['Z\u00fcrich', 'zurich'],
  ['\u0130stanbul', 'istanbul'],
  ['\uff2d\uff41\uff52\uff4b\uff54', 'markt'],
  ['Za\u200bgreb', '\ufeffZagreb'],
  ['Shop\u2122 \u2116', 'shoptm no'],
  ['\u0645\u064f\u062a\u062c\u0631', '\u0645\u062a\u062c\u0631'],
])('a search for %j finds %j', (name, typed) => {
  expect(comparableText(name)).toBe(comparableText(typed));
});

test('a search tells other letters and white space apart', () => {
  const texts = ['Zurich', 'Zurch', 'Zur ich'].map(comparableText);
  expect(new Set(texts).size).toBe(3);
});

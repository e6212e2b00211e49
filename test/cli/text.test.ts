import { startProgress } from '../../cli/output.ts';
import { fields, table } from '../../cli/table.ts';
import { spelled } from '../../cli/values.ts';

test('columns are as wide as their widest cell; wide characters count twice and combining marks not at all', () => {
  const rows = [
    { name: '日本', note: 'x' },
    { name: 'e\u0301', note: 'y' },
    { name: 'abcd', note: '' },
  ];
  expect(table(rows)).toBe('NAME  NOTE\n日本  x\ne\u0301     y\nabcd\n');
});

test('an empty field is printed as a dash', () => {
  expect(
    fields([
      ['a', ''],
      ['long', 'x'],
    ]),
  ).toBe('  a     –\n  long  x\n');
});

test.each([
  ['session-signed', 'Session Signed'],
  ['SESSION SIGNED', 'Session Signed'],
  ['AllowedWebsites', 'Allowed Websites'],
  ['open', 'open'],
  ['', ''],
])('finds for %j the word %j', (text, word) => {
  expect(spelled(['Allowed Websites', 'Session Signed'], text)).toBe(word);
});

describe('progress', () => {
  beforeEach(() => {
    import.meta.jest.useFakeTimers();
  });
  afterEach(() => {
    import.meta.jest.useRealTimers();
  });
  const started = (options: { terminal: boolean; silent: boolean }) => {
    let written = '';
    const progress = startProgress((text) => {
      written += text;
    }, options);
    return { progress, written: () => written };
  };

  test('prints nothing for work that ends within a second', () => {
    const { progress, written } = started({ terminal: true, silent: false });
    progress.doing('Reading');
    import.meta.jest.advanceTimersByTime(900);
    progress.end();
    import.meta.jest.advanceTimersByTime(5000);
    expect(written()).toBe('');
  });

  test('updates one line on a terminal and removes it', () => {
    const { progress, written } = started({ terminal: true, silent: false });
    progress.doing('Reading');
    import.meta.jest.advanceTimersByTime(1000);
    progress.doing('Reading: 7');
    import.meta.jest.advanceTimersByTime(500);
    progress.end();
    import.meta.jest.advanceTimersByTime(5000);
    expect(written()).toBe('\rReading …\u001b[K\rReading: 7 …\u001b[K\r\u001b[K');
  });

  test('prints one line without a terminal', () => {
    const { progress, written } = started({ terminal: false, silent: false });
    progress.doing('Reading');
    import.meta.jest.advanceTimersByTime(1000);
    progress.doing('Reading: 7');
    import.meta.jest.advanceTimersByTime(5000);
    progress.end();
    expect(written()).toBe('Reading …\n');
  });

  test('prints nothing when it is silent', () => {
    const { progress, written } = started({ terminal: false, silent: true });
    progress.doing('Reading');
    import.meta.jest.advanceTimersByTime(5000);
    expect(written()).toBe('');
  });
});

import { Option } from 'commander';
import { type CliCommand, FieldOption } from './command.ts';
import type { CliProcess } from './process.ts';
import { collect } from './values.ts';

type FixedValue = readonly [flags: string, text: string, value: null | false | readonly never[]];

type SettingOption = {
  /** As commander reads it: `--event <name>`, or without a value for a switch. */
  readonly flags: string;
  readonly text: string;
  readonly isRequired?: true;
  /** Whether it may be repeated: the setting is a list. */
  readonly isList?: true;
  /** Returns the value of one text. @throws InvalidArgumentError */
  readonly parse?: (text: string) => string | number;
  /** Returns the setting of what was given, in order. @throws Refusal 400 that names the field */
  readonly settingOf?: (values: readonly string[], cliProcess: CliProcess) => unknown;
  /** The option for no value, an empty list or off. */
  readonly clearOption?: FixedValue;
};

/** One row for each setting. A setting without an option does not compile, nor does an optional one that no option removes. */
export type SettingOptions<Settings> = {
  readonly [Name in keyof Settings]-?: undefined extends Settings[Name]
    ? SettingOption & { readonly clearOption: FixedValue }
    : SettingOption;
};

export type GivenOptions = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const attributeOf = (flags: string) => new Option(flags).attributeName();

/** Adds the options of settings. Only a new entity needs some of them, and only an existing one has values to remove. */
export function withSettings(command: CliCommand, rows: Readonly<Record<string, SettingOption>>, isNew: boolean) {
  for (const [setting, { flags, text, isRequired, isList, parse, clearOption }] of Object.entries(rows)) {
    const listText = `${text}; may be repeated${isNew ? '' : ', replaces the whole list'}`;
    const option = isList
      ? new FieldOption(setting, flags, listText, collect)
      : new FieldOption(setting, flags, text, parse);
    command.addOption(option.makeOptionMandatory(isNew && isRequired === true));
    const [clearFlags, clearText, clearedValue] = clearOption ?? [];
    if (clearFlags === undefined || (isNew && clearedValue !== false)) continue;
    const removal = new Option(clearFlags, clearText);
    command.addOption(removal.negate ? removal : removal.conflicts(attributeOf(flags)));
  }
  return command;
}

/** Returns the settings that the options name. The domain validates them. @throws Refusal 400 that names the field when an option cannot be read */
export async function givenSettings(
  rows: Readonly<Record<string, SettingOption>>,
  options: GivenOptions,
  cliProcess: CliProcess,
): Promise<Record<string, unknown>> {
  const settings: Record<string, unknown> = {};
  for (const [setting, { flags, settingOf, clearOption }] of Object.entries(rows)) {
    const givenValue = options[attributeOf(flags)];
    if (givenValue !== undefined)
      settings[setting] = settingOf ? await settingOf([givenValue].flat().map(String), cliProcess) : givenValue;
    else if (clearOption !== undefined && options[attributeOf(clearOption[0])] !== undefined)
      settings[setting] = clearOption[2];
  }
  return settings;
}

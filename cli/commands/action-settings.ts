import { type ActionSetting, FIELD_TYPES, METHODS, TRIGGERS } from '../../src/contract/actions.ts';
import { invalidField } from '../../src/domain/refusal.ts';
import type { CliProcess } from '../process.ts';
import { jsonValue, spelled, withoutUndefined } from '../values.ts';

/** Options of `action create` and `action update`, as commander parses them. */
export type ActionOptions = {
  readonly trigger?: string;
  readonly name?: string;
  readonly url?: string;
  readonly method?: string;
  readonly event?: readonly string[];
  readonly field?: readonly string[];
  readonly description?: string;
  readonly parameters?: string;
  readonly clearParameters?: true;
  readonly feedBack?: boolean;
  readonly responseMap?: readonly string[];
  readonly clearResponseMap?: true;
};

/**
 * Returns the settings that the options name. The domain validates them. A missing option is undefined; null removes a setting.
 * @throws Refusal 400 that names the field when an option cannot be read
 */
export async function actionSettings(
  options: ActionOptions,
  cliProcess: Pick<CliProcess, 'readFile' | 'readStdin'>,
): Promise<Record<Exclude<ActionSetting, 'enabled'> | 'trigger', unknown>> {
  const { parameters, clearParameters, responseMap, clearResponseMap } = options;
  return {
    trigger: options.trigger === undefined ? undefined : spelled(TRIGGERS, options.trigger),
    name: options.name,
    url: options.url,
    method: options.method === undefined ? undefined : spelled(METHODS, options.method),
    events: options.event,
    form_fields: options.field?.map(formField),
    description: options.description,
    parameters:
      parameters === undefined
        ? nullIf(clearParameters)
        : await jsonValue('parameters', parameters, cliProcess, { bareFile: true }),
    feed_response_back: options.feedBack,
    response_field_map: responseMap === undefined ? nullIf(clearResponseMap) : responseFieldMap(responseMap),
  };
}

/** Adds empty values for the mandatory settings of a new Action, so that the domain refuses their absence with its own message. */
export function withMandatory(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const mandatory: Record<string, object> = {
    Event: { events: [] },
    Form: { form_fields: [] },
    'AI-decided': { description: '' },
  };
  return { ...mandatory[String(settings.trigger)], ...withoutUndefined(settings) };
}

const nullIf = (cleared: true | undefined) => (cleared ? null : undefined);

/** Parses `key:Label:Type[:required]`. A label can contain colons, because the other parts cannot. */
function formField(text: string, index: number): object {
  const parts = text.split(':');
  const last = parts.at(-1)?.toLowerCase();
  const required = last === 'required';
  if (required || last === 'optional') parts.pop();
  if (parts.length < 3) {
    throw invalidField(`form_fields.${index}`, `must be key:Label:Type or key:Label:Type:required, not ${text}`);
  }
  const type = spelled(FIELD_TYPES, parts.pop() ?? '');
  const [key, ...label] = parts;
  return { key, label: label.join(':'), type, required };
}

/** Parses a list of `name=$.path`. */
function responseFieldMap(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const equals = entry.indexOf('=');
      if (equals < 1) throw invalidField('response_field_map', `must be name=$.path, not ${entry}`);
      return [entry.slice(0, equals), entry.slice(equals + 1)];
    }),
  );
}

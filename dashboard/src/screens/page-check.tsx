import { FormField, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import type { PageVerdict } from '../../../src/contract/dashboard.ts';
import { checkPage } from '../../../src/contract/page-check.ts';
import { TextCommand } from '../parts/fields.tsx';
import { Status } from '../parts/texts.tsx';
import type { Site } from './where-it-runs.tsx';

/** Says whether the widget would start on a page with the settings on the screen. The answer changes with the settings. */
export function PageCheck({ settings }: { readonly settings: Site }) {
  const [page, setPage] = useState('');
  const [checkedAddress, setAsked] = useState<string>();
  return (
    <FormField
      label="Would this page be allowed?"
      description="The address of a page that embeds the widget. The service sends no request to it."
      stretch
    >
      <SpaceBetween size="xs">
        <TextCommand
          value={page}
          placeholder="https://www.example.com/shop"
          button="Check page"
          onChange={setPage}
          run={async (address) => setAsked(address)}
        />
        <div aria-live="polite">
          {checkedAddress !== undefined && <Answer page={checkedAddress} settings={settings} />}
        </div>
      </SpaceBetween>
    </FormField>
  );
}

function Answer({ page, settings }: { readonly page: string; readonly settings: Site }) {
  const { host, matched_by, refused_by } = checkPage(page, settings);
  if (host === null) return <Status type="error">{page} is not the address of a page</Status>;
  const isAllowed = refused_by.length === 0;
  const by =
    settings.authentication_mode === 'Session Signed' ? ', with a valid session token' : ` and the entry ${matched_by}`;
  return (
    <SpaceBetween size="xxs">
      {refused_by.map((setting) => (
        <Status key={setting} type="error">{`No: ${reason(setting, host, settings)}`}</Status>
      ))}
      {isAllowed && <Status type="success">{`Yes, by the Domain${by}`}</Status>}
      {isAllowed && settings.ip_allowlist.length > 0 && (
        <Status type="info">Only for visitors whose IP address is on the IP allowlist</Status>
      )}
    </SpaceBetween>
  );
}

function reason(setting: PageVerdict['refused_by'][number], host: string, { domain, allowed_domains }: Site) {
  switch (setting) {
    case 'domain':
      return domain === ''
        ? 'the Domain (General tab) is not set, so browsers block the widget on every page'
        : `the Domain (General tab) is ${domain}, so browsers block the widget on every other host, such as ${host}`;
    case 'allowed_domains':
      return allowed_domains.length === 0 ? 'Allowed Domains is empty' : `${host} is not in Allowed Domains`;
    case 'enabled':
      return 'the Assistant Status (General tab) is off';
  }
}

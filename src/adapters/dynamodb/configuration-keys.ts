/** Keys of the configuration table (docs/architecture.md, "Data"). */
export const KEYS = {
  organization: (orgId: string) => ({ pk: `ORG#${orgId}`, sk: 'ORG' }),
  organizationSite: (orgId: string, siteId: string) => ({ pk: `ORG#${orgId}`, sk: `SITE#${siteId}` }),
  action: (orgId: string, actionId: string) => ({ pk: `ORG#${orgId}`, sk: `ACTION#${actionId}` }),
  /** Item that has the organization of an Action, by the Action's id. */
  actionOwner: (actionId: string) => ({ pk: `ACTION#${actionId}`, sk: 'OWNER' }),
  assistant: (siteId: string) => ({ pk: `SITE#${siteId}`, sk: 'ASSISTANT' }),
  slug: (siteId: string, trigger: string, slug: string) => ({ pk: `SITE#${siteId}`, sk: `SLUG#${trigger}#${slug}` }),
  member: (orgId: string, sub: string) => ({ pk: `ORG#${orgId}`, sk: `MEMBER#${sub}` }),
  /** Leads from a login to the organizations it belongs to. */
  memberOrganization: (sub: string, orgId: string) => ({ pk: `MEMBER#${sub}`, sk: `ORG#${orgId}` }),
  audit: (orgId: string, at: string, entityId: string, version: number) => ({
    pk: `AUDIT#${orgId}`,
    sk: `${at}#${entityId}#${version}`,
  }),
  /** Item for the delivery log of a deleted Action, which still exists and is erased with the assistant. */
  logOfDeletedAction: (orgId: string, siteId: string, actionId: string) => ({
    pk: `ORG#${orgId}`,
    sk: `LOG#${siteId}#${actionId}`,
  }),
  domain: (entry: string, siteId: string) => ({ pk: `DOMAIN#${entry}`, sk: `SITE#${siteId}` }),
} as const;

export const SORT_PREFIXES = {
  action: 'ACTION#',
  /** Event Actions, and all Actions of versions up to 0.1, whose ids do not tell the trigger. */
  eventAction: 'ACTION#act_',
  site: 'SITE#',
  member: 'MEMBER#',
} as const;

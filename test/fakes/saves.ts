import * as actions from '../../src/domain/actions/manage-actions.ts';
import * as assistants from '../../src/domain/organizations/manage-assistants.ts';

// Saves of what is stored now, by id. The code passes what it has read.

export const updateAction = async (actionId: string, change: object, ports: actions.ManageActionsPorts) =>
  actions.updateAction(await actions.requireAction(actionId, ports), { ...change }, ports);

export const deleteAction = async (actionId: string, ports: actions.ManageActionsPorts) =>
  actions.deleteAction(await actions.requireAction(actionId, ports), ports);

type AssistantPorts = Parameters<typeof assistants.updateAssistant>[2];

export const updateAssistant = async (siteId: string, change: object, ports: AssistantPorts) =>
  assistants.updateAssistant(await assistants.requireAssistant(siteId, ports), { ...change }, ports);

export const generateServerSecret = async (
  siteId: string,
  options: Parameters<typeof assistants.generateServerSecret>[1],
  ports: AssistantPorts,
) => assistants.generateServerSecret(await assistants.requireAssistant(siteId, ports), options, ports);

import * as actions from '../../src/domain/actions/manage-actions.ts';
import type { Context, ManagementContext } from '../../src/domain/context.ts';
import * as assistants from '../../src/domain/organizations/manage-assistants.ts';

// Saves of what is stored now, by id. The code passes what it has read.

export const createAction = async (
  siteId: string,
  input: unknown,
  context: ManagementContext & Context<'sealSigningSecret'>,
) => actions.createAction(await assistants.requireAssistant(siteId, context), input, context);

export const updateAction = async (actionId: string, change: object, context: ManagementContext) =>
  actions.updateAction(await actions.requireAction(actionId, context), { ...change }, context);

export const deleteAction = async (actionId: string, context: ManagementContext) =>
  actions.deleteAction(await actions.requireAction(actionId, context), context);

export const updateAssistant = async (siteId: string, change: object, context: ManagementContext) =>
  assistants.updateAssistant(await assistants.requireAssistant(siteId, context), { ...change }, context);

export const generateServerSecret = async (
  siteId: string,
  options: Parameters<typeof assistants.generateServerSecret>[1],
  context: ManagementContext,
) => assistants.generateServerSecret(await assistants.requireAssistant(siteId, context), options, context);

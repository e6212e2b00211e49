/** Imports a module of the dashboard, which looks for the window of its page while it loads. */
export async function withoutPage<Module>(load: () => Promise<Module>): Promise<Module> {
  Object.assign(globalThis, { window: new EventTarget() });
  try {
    return await load();
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
  }
}

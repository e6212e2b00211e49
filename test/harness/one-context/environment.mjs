const environment = process.env;

/**
 * A jest environment without a context of its own (node:vm): the suites of a worker share the global object and the modules that they
 * import. Each suite has the environment variables of the run again.
 */
export default class OneContext {
  global = globalThis;
  /** No suite replaces a module or a function by jest. */
  moduleMocker = { restoreAllMocks: () => {} };
  #variables = { ...environment };
  #exit = process.exit;

  async setup() {}

  async teardown() {
    process.exit = this.#exit;
    process.env = environment;
    for (const name of Object.keys(environment)) if (!(name in this.#variables)) delete environment[name];
    Object.assign(environment, this.#variables);
  }

  getVmContext() {
    return null;
  }
}

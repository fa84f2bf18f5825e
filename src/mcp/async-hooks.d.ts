/** The one thing of Node that the Worker uses; the runtime has it with `nodejs_compat`. */
declare module "node:async_hooks" {
  export class AsyncLocalStorage<T> {
    run<R>(store: T, work: () => R): R;
    getStore(): T | undefined;
  }
}

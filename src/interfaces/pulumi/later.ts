/** A promise that something else resolves. Its rejection is reported where `GantryStack.done` is. */
export interface Later<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | Promise<T>) => void;
  readonly reject: (error: unknown) => void;
}

export function later<T>(): Later<T> {
  let resolve: Later<T>['resolve'] = () => undefined;
  let reject: Later<T>['reject'] = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** A promise that was rejected, for what waits for it now or later. */
export function failed<T>(error: unknown): Promise<T> {
  const { promise, reject } = later<T>();
  reject(error instanceof Error ? error : new Error(String(error)));
  return promise;
}

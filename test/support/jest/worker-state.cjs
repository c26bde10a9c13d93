/**
 * What a suite can change in its worker, as it is before the suite, to be put back after it.
 */
'use strict';

const { AsyncLocalStorage } = require('node:async_hooks');

const OBJECTS = [globalThis, process, Error];
const EMITTERS = [process, process.stdout, process.stderr];

class WorkerState {
  /** The state before the suite that runs. */
  static current;

  /** Storages that hold a value since the suite began, that of Jest's test framework among them. */
  storages = new Set();
  properties = new Map(OBJECTS.map((object) => [object, propertiesOf(object)]));
  listeners = new Map(EMITTERS.map((emitter) => [emitter, new Set(listenersOf(emitter).map(({ listener }) => listener))]));
  variables = { ...process.env };
  exitCode = process.exitCode;
  folder = process.cwd();

  /** Loads code, and keeps the globals that it adds. */
  keepNewGlobals(load) {
    const before = new Set(Reflect.ownKeys(globalThis));
    try {
      return load();
    } finally {
      for (const key of Reflect.ownKeys(globalThis)) {
        if (!before.has(key)) {
          this.properties.get(globalThis).set(key, Reflect.getOwnPropertyDescriptor(globalThis, key));
        }
      }
    }
  }

  restore() {
    // Node.js copies the value of every enabled storage into each new promise.
    this.storages.forEach((storage) => storage.disable());
    this.properties.forEach((properties, object) => restoreProperties(object, properties));
    this.listeners.forEach((listeners, emitter) => removeOtherListeners(emitter, listeners));
    restoreVariables(this.variables);
    process.exitCode = this.exitCode;
    if (process.cwd() !== this.folder) {
      process.chdir(this.folder);
    }
  }
}

for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...args) {
    WorkerState.current?.storages.add(this);
    return original.apply(this, args);
  };
}

function propertiesOf(object) {
  return new Map(Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key)]));
}

function restoreProperties(object, properties) {
  for (const key of Reflect.ownKeys(object)) {
    if (!properties.has(key)) {
      Reflect.deleteProperty(object, key);
    }
  }
  for (const [key, property] of properties) {
    const now = Reflect.getOwnPropertyDescriptor(object, key);
    if (now === undefined || now.value !== property.value || now.get !== property.get) {
      Reflect.defineProperty(object, key, property);
    }
  }
}

function restoreVariables(variables) {
  for (const name of Object.keys(process.env)) {
    if (!Object.hasOwn(variables, name)) {
      delete process.env[name];
    }
  }
  for (const [name, value] of Object.entries(variables)) {
    if (process.env[name] !== value) {
      process.env[name] = value;
    }
  }
}

function listenersOf(emitter) {
  return emitter
    .eventNames()
    .flatMap((event) => emitter.rawListeners(event).map((listener) => ({ event, listener })));
}

function removeOtherListeners(emitter, listeners) {
  for (const { event, listener } of listenersOf(emitter)) {
    if (!listeners.has(listener)) {
      emitter.removeListener(event, listener);
    }
  }
}

module.exports = { WorkerState };

/**
 * Loaded into a runner before its own code: counts the steps of the runner, and kills the runner, its engine, or both at one of them.
 *
 * A step is what a crash can separate: the moment before and after each transaction of the store, and before and after each request that changes
 * something at the engine or reads the output of a container. `GANTRY_FAULTS` has the plan as JSON (`fault-plan.ts`). The clock of the runner can be set
 * back: the file `clock` has the milliseconds to add.
 */
'use strict';

const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const http = require('node:http');
const Module = require('node:module');
const path = require('node:path');

const { folder, at, kills, engine } = JSON.parse(process.env.GANTRY_FAULTS);
let count = 0;

/** Steps count from the moment at which the test says so, until a crash. */
function reach(step) {
  if (!existsSync(path.join(folder, 'armed')) || existsSync(path.join(folder, 'sprung'))) {
    return;
  }
  count += 1;
  appendFileSync(path.join(folder, 'steps'), `${step}\n`);
  if (count === at) {
    writeFileSync(path.join(folder, 'sprung'), step);
    if (kills.includes('engine')) {
      engine.forEach((file) => process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL'));
    }
    if (kills.includes('runner')) {
      process.kill(process.pid, 'SIGKILL');
    }
  }
}

const { request } = http;
http.request = (options, answered) => {
  const { method = 'GET', path: url = '' } = options;
  const asked = /\/(create|start|stop|logs)\b/.exec(url)?.[1];
  const isStep = options.socketPath !== undefined && /\/containers\//.test(url);
  if (!isStep || (method !== 'DELETE' && asked === undefined)) {
    return request(options, answered);
  }
  const step = `${method} ${asked ?? 'container'}`;
  reach(`before ${step}`);
  return request(options, (answer) => {
    reach(`after ${step}`);
    answered(answer);
  });
};

const load = Module._load;
Module._load = (name, ...rest) => {
  const loaded = load(name, ...rest);
  if (name === 'libsql' && loaded.prototype.exec.isCounted !== true) {
    const { exec } = loaded.prototype;
    loaded.prototype.exec = function counted(sql) {
      if (sql !== 'commit') {
        return exec.call(this, sql);
      }
      reach('before commit');
      const result = exec.call(this, sql);
      reach('after commit');
      return result;
    };
    loaded.prototype.exec.isCounted = true;
  }
  return loaded;
};

// Waits after a failure are short, and the same in every run.
Math.random = () => 0.04;

const { now } = Date;
Date.now = () => {
  try {
    return now() + Number(readFileSync(path.join(folder, 'clock'), 'utf8'));
  } catch {
    return now();
  }
};

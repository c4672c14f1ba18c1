// Every command of `sluice`.

import type { Command } from "../command.ts"
import { apply, plan } from "./apply.ts"
import { backtest } from "./backtest.ts"
import { backup, restore } from "./backup.ts"
import { bulk } from "./bulk.ts"
import { completion } from "./completion.ts"
import { docs } from "./docs.ts"
import { doctor, open } from "./doctor.ts"
import { connect, importFiles, pull } from "./import.ts"
import { schema } from "./schema.ts"
import { serve } from "./serve.ts"
import { definitions, exported, list, put, rollback } from "./catalog.ts"
import { answer, approve, inbox, reject } from "./inbox.ts"
import { deploy } from "./deploy.ts"
import { datasets } from "./datasets.ts"
import { experiment } from "./experiment.ts"
import { dev } from "./dev.ts"
import { fork } from "./fork.ts"
import { grade } from "./grade.ts"
import { init } from "./init.ts"
import { login, logout } from "./login.ts"
import { overview } from "./overview.ts"
import { pace } from "./pace.ts"
import { callbacks } from "./resources/callbacks.ts"
import { hooks } from "./resources/hooks.ts"
import { keys } from "./resources/keys.ts"
import { prices } from "./resources/prices.ts"
import { providers } from "./resources/providers.ts"
import { schedules } from "./resources/schedules.ts"
import { secrets } from "./resources/secrets.ts"
import { tenants } from "./resources/tenants.ts"
import { tools } from "./resources/tools.ts"
import { run, watch } from "./run.ts"
import { again, cancel, compare, effects, files, logs, pause, receipt, resume, runs, show, signal, steer } from "./runs.ts"
import { probe, scorers } from "./scorers.ts"
import { feedback, score } from "./scores.ts"
import { starts } from "./starts.ts"
import { test } from "./test.ts"
import { types } from "./types.ts"
import { validate } from "./validate.ts"
import { verify } from "./verify.ts"

/** The headings of the help, with the commands under each. */
export const HEADINGS: Readonly<Record<string, readonly Command[]>> = {
  "Project:": [init, docs, dev, validate, plan, apply, test, types, schema, importFiles, deploy],
  "Runs:": [
    run,
    runs,
    starts,
    overview,
    show,
    logs,
    watch,
    inbox,
    answer,
    approve,
    reject,
    cancel,
    pause,
    resume,
    steer,
    signal,
    again,
    fork,
    ...bulk,
    compare,
    backtest,
    experiment,
    scorers,
    score,
    feedback,
    grade,
    probe,
    receipt,
    verify,
    effects,
    files,
  ],
  "Server:": [
    list,
    put,
    exported,
    rollback,
    pull,
    ...definitions,
    ...datasets,
    ...tools,
    ...hooks,
    ...callbacks,
    ...schedules,
    ...secrets,
    ...keys,
    ...providers,
    ...prices,
    ...tenants,
    pace,
    connect,
  ],
  "This machine:": [serve, backup, restore, login, logout, doctor, open, completion(() => COMMANDS)],
}
export const COMMANDS = Object.values(HEADINGS).flat()

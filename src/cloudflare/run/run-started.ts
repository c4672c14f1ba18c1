// The first word of a journal [J3]: what a run was asked to be.

import type { Fact } from "../../core/run/event.ts"
import type { StartRequest } from "../../ports/run.ts"

export function startedOf(request: StartRequest): Extract<Fact, { type: "run.started" }> {
  const { tenant, run, flow, task, inputs, autonomous, rehearsed, pins, trigger, tags, parent, session, staging } = request
  const { budget, prices, rules, tainted, payload, callback, trace } = request
  return {
    type: "run.started",
    tenant,
    run,
    flow,
    task,
    inputs,
    autonomous,
    pinned: pins,
    trigger,
    rehearsed,
    ...(tags ? { tags: [...tags] } : {}),
    ...(parent ? { parent } : {}),
    ...(session === undefined ? {} : { session }),
    ...(staging === undefined ? {} : { staging }),
    ...(budget === undefined ? {} : { budget }),
    ...(prices === undefined ? {} : { prices }),
    ...(rules === undefined ? {} : { rules: JSON.parse(JSON.stringify(rules)) }),
    ...(tainted === true ? { tainted } : {}),
    ...(request.private === true ? { private: true } : {}),
    ...(payload === undefined ? {} : { payload }),
    ...(callback === undefined ? {} : { callback: { ...callback, events: [...callback.events] } }),
    ...(trace === undefined ? {} : { trace }),
  }
}

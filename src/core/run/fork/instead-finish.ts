// Replaces the result of a step in a fork [K12]: an agent's finish, a handler's value, or a choice. It passes the same checks.

import { defined } from "../../defined.ts"
import { FINISH_FIELDS } from "../../flow/finish-schema.ts"
import { labelsOf, runsCode, type Step } from "../../flow/flow.ts"
import { err, ok, type Result } from "../../result.ts"
import { handlerFinished } from "../../steps/handler.ts"
import type { Fact, FactOf } from "../event.ts"
import { offering } from "../rounds/offer.ts"
import { stepState, type Run } from "../state.ts"
import { checkFinish, finishNameOf } from "../session/finish.ts"
import type { InsteadFinish, Refusal } from "../signal.ts"

type Ended = FactOf<"step.finished">

export function finishInstead(run: Run, id: string, said: InsteadFinish, by: string): Result<Fact[], Refusal> {
  const step = run.plan.steps.get(id)
  if (!step) return wrong("", `the flow has no step "${id}"`)
  const facts = endOf(run, step, said)
  const named = (fact: Fact): Fact => (fact.type === "step.finished" || fact.type === "step.offered" ? { ...fact, by } : fact)
  return facts.ok ? ok(facts.value.map(named)) : facts
}

function endOf(run: Run, step: Step, said: InsteadFinish): Result<Fact[], Refusal> {
  const s = stepState(run, step.id)
  const { status, summary, outputs = {}, branch, artifacts } = said
  const agent = s.session && !s.session.own ? run.plan.agents[s.session.agent] : undefined
  if (agent) {
    const ends = finishNameOf(agent) === "finish"
    const own = Object.keys(outputs).find((name) => OWN.has(name) || (!ends && REPORT.has(name)))
    if (own !== undefined) return wrong(`/outputs/${own}`, `"${own}" is no output: it is a member of the finish`)
    const more = { ...outputs, ...defined({ branch }), ...(artifacts === undefined || !ends ? {} : { artifacts }) }
    const report = status === "complete" ? { status: "SUCCESS", result: summary } : { status: "ERROR", error: summary }
    const args = { ...(ends ? { status, summary } : report), ...more }
    const checked = checkFinish({ plan: run.plan, agent, step, s }, { id: "instead", name: finishNameOf(agent), args }, undefined)
    return checked.ok ? ok([...checked.value]) : err({ code: "invalid", errors: checked.error.map(placed) })
  }
  if (status === "complete" && runsCode(step)) {
    const end = handlerFinished(run, step, {
      ok: true,
      value: { ...outputs, ...defined({ branch }) },
      summary,
      logs: [],
    })
    return end.type === "step.finished" && end.status === "error" ? wrong("/outputs", end.summary) : ok([end])
  }
  const labels = step.type === "conditional" ? ["present", "absent"] : labelsOf(step)
  if (labels && status === "complete" && !labels.some((label) => label === branch))
    return wrong("/branch", `must be one of: ${labels.join(", ")}`)
  if (!labels && branch !== undefined) return wrong("/branch", `the step "${step.id}" has no branches`)
  const end: Ended = {
    type: "step.finished",
    step: step.id,
    pass: s.pass,
    status,
    summary,
    files: [],
    outputs,
    ...defined({ artifacts }),
    ...(branch === undefined || status !== "complete" ? {} : { branch }),
  }
  return ok([offering(step, end)])
}

/** Outputs stand beside the other members in an agent's finish, and in a member of their own here. */
const OWN = new Set(FINISH_FIELDS)
/** What the other finalizer calls the summary. */
const REPORT = new Set(["result", "error"])
const placed = ({ path, message }: { readonly path: string; readonly message: string }) => {
  const name = path.split("/")[1] ?? ""
  return { path: name === "" || OWN.has(name) ? path : `/outputs${path}`, message }
}

const wrong = (path: string, message: string): Result<Fact[], Refusal> => err({ code: "invalid", errors: [{ path, message }] })

// Laws of every journal, for any flow, world and seed, checked on the events alone. What may run when, and how
// often it may repeat, is in course-laws.ts.

import { FINISH } from "../../../src/core/run/session/finish.ts"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { validateArgs } from "../../../src/core/schema/validate-args.ts"

interface Pass {
  readonly tools: readonly string[]
  readonly pass: number
  /** Calls of the last reply that have no answer yet. */
  unanswered: Set<string>
  /** [V23] It was scored, and its step may run again. */
  isScored?: true
}

/** Events that a paused run must not write. */
const BEGINS: ReadonlySet<string> = new Set([
  "action.begun",
  "step.opened",
  "step.reopened",
  "tool.called",
  "run.waiting",
  "steer.delivered",
])

/** The key of a call, by step and call. */
const CALL = /^([^/]+)\/\d+\/\d+\/tool\/(.*)$/s

/** The faults in a finished run's journal; empty when it is correct. */
export function breaches(plan: Plan, log: readonly RunEvent[]): string[] {
  const wrong: string[] = []
  const open = new Map<string, Pass>()
  const finished = new Set<string>()
  const underway = new Set<string>()
  const begunOnce = new Set<string>()
  /** The tool of each call: `tool.called` comes just before the first attempt. */
  const tools = new Map<string, string>()
  const isOnce = (key: string): boolean => mustNotRepeat(plan, tools.get(key.replace(CALL, "$1/$2")))
  let paused = false
  const say = (e: RunEvent, text: string): void => void wrong.push(`${e.seq} ${e.type}: ${text}`)
  for (const [i, e] of log.entries()) {
    if (e.seq !== i + 1) say(e, `[J7] stands at place ${i + 1}`)
    if (e.type === "run.ended" && i !== log.length - 1) say(e, "[F34] is not the last event")
    if (i === log.length - 1 && e.type !== "run.ended") say(e, "[F34] is the last event")
    if (paused && BEGINS.has(e.type)) say(e, "[H5] begins while the run is paused")
    if (e.type === "run.paused" || e.type === "run.resumed") paused = e.type === "run.paused"
    const pass = "step" in e && e.step !== undefined ? open.get(e.step) : undefined
    switch (e.type) {
      case "step.opened":
        if (pass) say(e, `"${e.step}" is open already`)
        open.set(e.step, { tools: e.tools, pass: e.pass, unanswered: new Set() })
        if ([...open.values()].filter((one) => !one.isScored).length > plan.flow.max_concurrent) say(e, `[F11] ${open.size} steps are open`)
        break
      case "step.finished": {
        if (!pass || pass.pass !== e.pass) say(e, `[J4] pass ${e.pass} of "${e.step}" is not open`)
        const id = `${e.step}/${e.pass}`
        if (finished.has(id)) say(e, `[G2] ${id} finished before`)
        finished.add(id)
        open.delete(e.step)
        for (const key of underway) if (key.startsWith(`${e.step}/`)) underway.delete(key)
        break
      }
      case "step.offered":
        if (!pass || pass.pass !== e.pass) say(e, `[J4] pass ${e.pass} of "${e.step}" is not open`)
        for (const key of underway) if (key.startsWith(`${e.step}/`)) underway.delete(key)
        break
      case "step.scored":
        if (pass) pass.isScored = true
        underway.delete(`${e.step}/${e.pass}/0/score`)
        break
      case "file.changed":
        underway.delete(`${e.step ?? ""}/${pass?.pass ?? 0}/0/put-back`)
        break
      case "step.skipped":
      case "step.reopened":
        if (pass && !pass.isScored) say(e, `"${e.step}" is open`)
        if (pass?.isScored) open.delete(e.step)
        break
      case "action.begun": {
        if (!pass) say(e, `[J4] "${e.step}" is not open`)
        if (underway.has(e.key)) say(e, `[J3] ${e.key} is under way already`)
        underway.add(e.key)
        if (isOnce(e.key) && begunOnce.has(e.key)) say(e, `[J11] ${e.key} was sent twice`)
        begunOnce.add(e.key)
        break
      }
      case "action.lost":
        if (!underway.delete(e.key)) say(e, `[J10] ${e.key} is not under way`)
        if (isOnce(e.key) !== isUncertain(log[i + 1], e.key)) say(e, "[J11] uncertain when it must not be repeated, and only then")
        break
      case "model.replied":
      case "step.called":
        if (!pass) say(e, `[J4] "${e.step}" is not open`)
        if (!underway.delete(e.key)) say(e, `[J3] ${e.key} is not under way`)
        if (pass && pass.unanswered.size > 0) say(e, `[J22] without an answer: ${[...pass.unanswered].join(", ")}`)
        if (pass) pass.unanswered = new Set(e.toolCalls.map((c) => c.id))
        break
      case "session.opened":
        if (!underway.delete(`${e.step}/${pass?.pass ?? 0}/0/session`)) say(e, `[J3] the session of "${e.step}" was not asked for`)
        break
      case "step.cached":
      case "cache.missed":
        if (!underway.delete(`${e.step}/${pass?.pass ?? 0}/0/cache`)) say(e, `[R40] "${e.step}" did not look`)
        if (e.type === "step.cached" && log[i + 1]?.type !== "step.finished") say(e, "[R40] is no end of the step")
        break
      case "run.waiting":
        if (underway.size > 0) say(e, `[J16] waits while ${[...underway].join(", ")} is under way`)
        break
      case "child.started":
      case "child.ended":
        underway.delete(`${e.step}/${e.pass}/${e.index}/child`)
        break
      case "context.compacted":
        for (const key of underway) if (key.startsWith(`${e.step}/`) && key.endsWith("/compact")) underway.delete(key)
        break
      case "model.paced":
        underway.delete(e.key)
        break
      case "model.failed":
        if (!pass) say(e, `[J4] "${e.step}" is not open`)
        if (!underway.delete(e.key)) say(e, `[J3] ${e.key} is not under way`)
        break
      case "tool.called": {
        tools.set(`${e.step}/${e.callId}`, e.tool)
        if (!pass?.tools.includes(e.tool)) say(e, `[G1] ${e.tool} is not granted to "${e.step}"`)
        const spec = plan.tools.get(e.tool)
        if (!spec || !validateArgs(spec.parameters, e.args).ok) say(e, "[G6] its arguments do not fit")
        if (e.tool === FINISH || e.tool === "subagent_finalize") say(e, "finish is not called")
        break
      }
      case "tool.returned":
      case "tool.refused":
      case "tool.uncertain":
      case "finish.rejected":
        if (!pass) say(e, `[J4] "${e.step}" is not open`)
        else if (!pass.unanswered.delete(e.callId)) say(e, `[J22] ${e.callId} has its answer, or was never called`)
        for (const key of underway) if (key.startsWith(`${e.step}/`) && key.endsWith(`/tool/${e.callId}`)) underway.delete(key)
        break
      case "reminder.sent":
      case "interaction.asked":
      case "steer.queued":
      case "steer.delivered":
        if (!pass) say(e, `[J4] "${e.step}" is not open`)
        break
      default:
        break
    }
    if (underway.size > 6) say(e, `[J16] ${underway.size} effects are under way`)
  }
  return wrong
}

const isUncertain = (e: RunEvent | undefined, key: string): boolean => e?.type === "tool.uncertain" && e.key === key

function mustNotRepeat(plan: Plan, tool: string | undefined): boolean {
  const spec = tool === undefined ? undefined : plan.tools.get(tool)
  return spec?.effect === "write" && spec.idempotent !== true
}

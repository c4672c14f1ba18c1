// [F26] Random flows of tool steps against a plain model of them: templates with JSON types, retries, marks of text from outside, approvals,
// held and simulated effects. A failure prints its seed and path.

import fc from "fast-check"
import { expect, test } from "vitest"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import type { Json } from "../../../src/core/json.ts"
import { amount } from "../../support/amount.ts"
import { flow, Stand, until } from "../../support/engine/stand.ts"
import {
  EDITED,
  INPUTS,
  MADE,
  SIMULATED,
  toldOf,
  type Arg,
  type Course,
  type Ref,
  type Told,
  type ToolStep,
} from "../../support/engine/tool-step-model.ts"

const NAMES = Object.keys(MADE) as (keyof typeof MADE)[]
const refs = (at: number): fc.Arbitrary<Ref> => {
  const input = fc.constantFrom("n", "o", "s", "l", "no").map((name): Ref => ({ of: "input", name }))
  if (at === 0) return input
  const paths = [
    ["text"],
    ["data"],
    ["data", "got"],
    ["data", "got", "text"],
    ["data", "got", "any", "deep"],
    ["data", "nope"],
    ["data", "ok"],
  ]
  const step = fc.record({ of: fc.constant("step" as const), step: fc.nat(at - 1), path: fc.constantFrom(...paths) })
  return fc.oneof({ weight: 1, arbitrary: input }, { weight: 2, arbitrary: step })
}
const arg = (at: number): fc.Arbitrary<Arg> =>
  fc.record(
    { refs: fc.array(refs(at), { minLength: 1, maxLength: 3 }), around: fc.constantFrom(["is ", ""] as const, ["", "!"] as const) },
    { requiredKeys: ["refs"] },
  )
const step = (at: number): fc.Arbitrary<ToolStep> =>
  fc.record({
    tool: fc.constantFrom(...NAMES, "shop.put" as const, "shop.put" as const),
    args: fc.record({ text: arg(at), num: arg(at), any: arg(at), list: arg(at) }, { requiredKeys: [] }),
    failing: fc.nat(3),
    retry: fc.nat(2),
    isCaught: fc.boolean(),
    isAllowed: fc.boolean(),
  })
const courses: fc.Arbitrary<Course> = fc.integer({ min: 1, max: 4 }).chain((count) =>
  fc.record({
    steps: fc.tuple(...Array.from({ length: count }, (_, at) => step(at))),
    isTainted: fc.boolean(),
    mode: fc.constantFrom("live", "live", "staged", "dry"),
    isAsked: fc.boolean(),
    answers: fc.array(fc.constantFrom("approve", "reject", "edit", "edit"), { maxLength: 6 }),
  }),
)

/** As its author writes it. */
const template = ({ refs: all, around: [before, after] = ["", ""] }: Arg): string =>
  `${before}\${{${all.map((ref) => (ref.of === "input" ? `flow.input.${ref.name}` : `result.s${ref.step}.${ref.path.join(".")}`)).join(" ?? ")}}}${after}`
const stepText = ({ tool, args, retry, isCaught, isAllowed }: ToolStep, at: number): string => {
  const written: Record<string, Json> = { id: `s${at}` }
  for (const [name, one] of Object.entries(args)) {
    const text = template(one)
    written[name] = name === "any" ? { deep: text } : name === "list" ? ["first", text] : text
  }
  const more = {
    ...(tool === "shop.hangs" ? { timeout: "5s" } : {}),
    ...(retry === 0 ? {} : { retry: { max: retry, backoff: "1ms" } }),
    ...(isCaught ? { on_error: `c${at}` } : {}),
    ...(isAllowed ? { effects: { after_untrusted: "allow" } } : {}),
  }
  // Where a failure goes, and on to the next step from there.
  const caught = isCaught ? `  - { id: c${at}, type: tool, tool: shop.plain, args: { id: caught } }\n` : ""
  return `  - ${JSON.stringify({ id: `s${at}`, type: "tool", tool, args: written, ...more })}\n${caught}`
}
const HEAD = "inputs: { n: { type: number }, o: { type: object }, s: { type: string }, l: { type: array }, no: { type: string } }\n"

async function played(course: Course): Promise<Told> {
  const sent: [string, Json][] = []
  let hanging = 0
  const failed = new Map<string, number>()
  const tools = NAMES.map((name): Tool => {
    const { writes, isOutside, answer } = MADE[name]
    return {
      name,
      description: name,
      parameters: {
        type: "object",
        properties: { id: { type: "string" }, text: { type: "string" }, num: { type: "number" }, any: {}, list: { type: "array" } },
        required: ["id"],
        additionalProperties: false,
      },
      effect: writes ? "write" : "read",
      reach: { to: { host: "shop.example" }, method: { fixed: writes ? "POST" : "GET" } },
      untrusted: isOutside,
      simulate: SIMULATED,
      contexts: ["agent"],
      execute: async (_id, given, signal) => {
        const args = given as Record<string, Json>
        sent.push([name, args])
        const before = failed.get(String(args["id"])) ?? 0
        if (name === "shop.hangs")
          await new Promise<void>((_, fail) => {
            hanging++
            signal.addEventListener("abort", () => {
              hanging--
              fail(signal.reason)
            })
          })
        if (name === "shop.fails" && before < (course.steps[Number(String(args["id"]).slice(1))]?.failing ?? 0)) {
          failed.set(String(args["id"]), before + 1)
          throw new Error("not yet")
        }
        return { content: [{ type: "text", text: answer(args) }] }
      },
    }
  })
  const s = new Stand(flow(course.steps.map(stepText).join(""), HEAD), [], tools)
  if (course.isAsked)
    s.rules = {
      ...DEFAULT_RULES,
      version: 2,
      policy: { ...DEFAULT_RULES.policy, hooks: { ...DEFAULT_RULES.policy.hooks, confirm: ["shop.put"] } },
    }
  s.start("go", false, {
    inputs: INPUTS,
    ...(course.isTainted ? { tainted: true } : {}),
    ...(course.mode === "live" ? {} : { effects: course.mode }),
  })
  const asked: [string, string][] = []
  for (let round = 0; round < 60 && s.conductor.run.status !== "succeeded" && s.conductor.run.status !== "failed"; round++) {
    await until(
      () => hanging > 0 || Object.keys(s.conductor.run.underway).length === 0,
      () => "a call is under way",
    )
    if (hanging > 0) s.now += 5_000
    for (const one of Object.values(s.conductor.run.interactions)) {
      if (one.status !== "pending") continue
      if (one.kind === "effects") {
        s.conductor.tell({ type: "answer", id: one.id, body: { answer: { commit: "all" } }, by: "ann" })
        continue
      }
      const decision = course.answers[asked.length] ?? "approve"
      asked.push([one.step ?? "", String(Reflect.get(one.payload, "reason"))])
      s.conductor.tell({
        type: "answer",
        id: one.id,
        body: { decision, ...(decision === "edit" ? { args: EDITED } : {}) } as never,
        by: "ann",
      })
    }
    s.now += 10
    s.conductor.tick()
  }
  const { run } = s.conductor
  const steps = course.steps.flatMap((_, at): Told["steps"] => {
    const result = run.steps[`s${at}`]?.result
    if (result === undefined) return []
    const { status, source, tainted, text, outputs } = result
    const isPrivate = result.private === true
    return [
      {
        status: status as "complete",
        ...(source === undefined ? {} : { source: source as "tool_refused" }),
        isMarked: tainted === true,
        isPrivate,
        ...(status !== "complete" ? {} : { text: text ?? String(outputs["text"] ?? "") }),
        ...(outputs["data"] === undefined ? {} : { data: outputs["data"] }),
      },
    ]
  })
  return {
    sent: sent.filter(([, args]) => Reflect.get(args as object, "id") !== "caught"),
    asked,
    steps,
    status: run.status as "succeeded",
  }
}

test("[F26] [F40] [G11] [K32] [Q2] flows of tool steps send, ask and end as their model says", { timeout: 0 }, async () => {
  const seen = { sent: 0, asked: 0, tool_refused: 0, tool_failed: 0, step_timeout: 0, marked: 0, private: 0 }
  await fc.assert(
    fc.asyncProperty(courses, async (course) => {
      const model = toldOf(course)
      expect(await played(course)).toEqual(model)
      seen.sent += model.sent.length
      seen.asked += model.asked.length
      for (const { source, isMarked, isPrivate } of model.steps) {
        if (source !== undefined) seen[source]++
        if (isMarked) seen.marked++
        if (isPrivate) seen.private++
      }
    }),
    { numRuns: amount(800, 80) },
  )
  // Each of it has happened.
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(amount(9, 0))
})

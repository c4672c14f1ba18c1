// One model of a question [Q1, Q2], over all kinds of questions and all that draw them: the same ways, the same needed fields, the same body.

import { describe, expect, test } from "vitest"
import { isObject, type Json, type JsonObject } from "../../../src/core/json.ts"
import { budgetQuestion } from "../../../src/core/run/budget/budget-question.ts"
import { answerOf as aguiAnswer } from "../../../src/protocols/agui/interrupt.ts"
import { answerOfText, questionText } from "../../../src/core/run/protocol/person-text.ts"
import { answerTo } from "../../../src/core/run/question/answer.ts"
import type { QuestionField } from "../../../src/core/run/question/fields.ts"
import type { Verb } from "../../../src/core/run/question/forms.ts"
import { question } from "../../../src/core/run/question/question.ts"
import { askApproval, askPlan, askUser, checkAnswer } from "../../../src/core/run/session/ask/interaction.ts"
import type { InteractionView } from "../../../src/core/run/views/view.ts"
import { elicitationAnswers, type Elicitation } from "../../../src/core/tool/elicitation.ts"
import { answerPage, fromForm } from "../../../src/http/runs/answers/answer-page.ts"
import { answerOf as mcpAnswer, formOf } from "../../../src/mcp/question-form.ts"
import { agent, fork, flowOf, planOf } from "../../support/kernel/builders.ts"
import { Shell } from "../../support/kernel/shell.ts"

type Asked = Pick<InteractionView, "kind" | "payload" | "schema">
const user = (args: JsonObject): Asked => askUser("i1", "a", "w", { id: "c", name: "ask_user", args }, { question: "Which?", ...args })
const branch = (more: object): Asked =>
  new Shell(planOf(flowOf([fork("f", { red: "a", blue: "a" }, more), agent("a")], { autonomous: false }))).pending()[0] as unknown as Asked
const call = { id: "c", name: "note", args: {} }
const shown = { reason: "policy", effect: "write", hash: "h", expires: 1 } as const
const budget = (scope: "run" | "tenant"): Asked => {
  const { run } = new Shell(planOf(flowOf([agent("a")])))
  const balance = { limit: { usd: 1, tokens: 10 }, spent: { usd: 1 }, reserved: {} }
  return budgetQuestion(run, scope, "a", balance as never, { usd: 0.5 } as never)[1] as unknown as Asked
}
const effects = (): Asked => {
  const kept = ["k0", "k1"].map((key) => ({ key, run: "r", step: "a", pass: 1, tool: "send", args: { to: key } }))
  const commit = { oneOf: [{ const: "all" }, { type: "array", items: { enum: ["k0", "k1"] }, uniqueItems: true }] }
  const answer = { type: "object", properties: { commit, stop_on_failure: { type: "boolean" } }, required: ["commit"] }
  const properties = { answer, notes: { type: "string" } }
  return { kind: "effects", payload: { effects: kept }, schema: { oneOf: [{ type: "object", properties, required: ["answer"] }] } }
}
const server = (asked: Elicitation): Asked => ({
  kind: "elicitation",
  payload: { question: asked.message, ...(asked.mode === "form" ? { mode: "form", form: asked.requested } : { ...asked }), tool: "t" },
  schema: elicitationAnswers(asked),
})
const FORM: Elicitation = {
  mode: "form",
  message: "Who?",
  requested: {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      sure: { type: "boolean" },
      size: { type: "string", enum: ["s", "l"] },
      many: {
        type: "array",
        items: {
          anyOf: [
            { const: "p", title: "P" },
            { const: "q", title: "Q" },
          ],
        },
      },
    },
    required: ["name", "size"],
  },
}
const options = ["red", "blue"]
const KINDS: readonly (readonly [name: string, asked: Asked, verbs: string])[] = [
  ["a text", user({ type: "input" }), "answer auto cancel"],
  ["yes or no", user({ type: "confirm" }), "answer auto cancel"],
  ["one of several", user({ type: "select", options }), "answer auto cancel"],
  ["some of several", user({ type: "select", options, multiSelect: true }), "answer auto cancel"],
  ["one or own words", user({ type: "select", options, allowCustom: true }), "answer custom auto cancel"],
  ["a fork", branch({}), "answer cancel"],
  ["a fork of many", branch({ multiSelect: true }), "answer cancel"],
  ["a fork with an agent", branch({ agent: "worker", allowCustom: true }), "answer custom auto cancel"],
  ["a call", askApproval("i1", "a", call, { n: 1 }, shown), "approve reject edit cancel"],
  ["a plan", askPlan("i1", "a", call, {}, { plan: "p", planId: "1", body: "do" } as never, shown), "approve reject edit cancel"],
  ["a budget", budget("run"), "stop raise"],
  ["the tenant's day", budget("tenant"), "stop"],
  ["kept calls", effects(), "commit all none"],
  ["a server's form", server(FORM), "fill reject cancel"],
  ["a server's page", server({ mode: "url", message: "Sign in.", url: "https://a.example/" }), "approve reject cancel"],
]

/** Fills a field with the first value that it takes. */
const filled = ({ kind, options: [first], above = 0 }: QuestionField): unknown =>
  kind === "choices"
    ? [first?.value]
    : kind === "object"
      ? { n: 2 }
      : kind === "number" || kind === "integer"
        ? above + 1
        : (first?.value ?? "words")
const all = (fields: readonly QuestionField[]): Record<string, unknown> => Object.fromEntries(fields.map((one) => [one.name, filled(one)]))
const viewOf = (asked: Asked): InteractionView =>
  ({ ...asked, id: "i1", run: "r", step: "a", status: "pending", created: "" }) as InteractionView

describe.each(KINDS)("%s", (_, asked, verbs) => {
  const { ways } = question(asked)
  const each = Object.entries(ways) as [Verb, NonNullable<(typeof ways)[Verb]>][]

  test("[Q2] has these ways, and all of each way's fields make an answer that the server takes", () => {
    expect(Object.keys(ways).join(" ")).toBe(verbs)
    for (const [verb, { fields }] of each) {
      const { body, faults } = answerTo(asked, verb, all(fields))
      expect([verb, faults, checkAnswer(asked, body)]).toMatchObject([verb, {}, { ok: true }])
    }
  })

  test("[Q2] names each needed field that is missing, and the server refuses an answer without it", () => {
    for (const [verb, { fields }] of each)
      for (const { name, required } of fields) {
        const { body, faults } = answerTo(asked, verb, { ...all(fields), [name]: undefined })
        expect([verb, name, name in faults]).toEqual([verb, name, required])
        expect([verb, name, checkAnswer(asked, body).ok]).toEqual([verb, name, !required])
      }
  })

  test("[P23] a chat, which has no schema, offers the same ways and fields", () => {
    const { schema: _schema, ...told } = asked
    const names = (model: typeof ways) =>
      Object.entries(model).map(([verb, way]) => [
        verb,
        way.fields.map(({ name, kind, required, options: some }) => ({ name, kind, required, some })),
      ])
    // Notes that go with other ways are in the schema alone.
    const withoutNotes = (list: ReturnType<typeof names>) =>
      list.map(([verb, fields]) => [verb, (fields as { name: string }[]).filter(({ name }) => name !== "notes")])
    expect(withoutNotes(names(question(told).ways))).toEqual(withoutNotes(names(ways)))
  })

  test("[Q3] the page of a link sends the body of each way that it shows", () => {
    const page = answerPage(viewOf(asked))
    for (const [verb, { fields }] of each) {
      const values = all(fields)
      const press = PRESSES[verb]
      if (
        !page.includes(`name="${press[0]}" value="${press[1].replaceAll('"', "&quot;")}"`) &&
        !(verb === "answer" && page.includes('name="answer"'))
      )
        continue
      const pairs: [string, string][] = [verb === "answer" ? pressOf(fields[0], values["answer"]) : [press[0], press[1]]]
      for (const [name, value] of Object.entries(values))
        pairs.push(...(verb === "answer" && name === "answer" ? answerPairs(fields[0], value) : pairsOf(verb, name, value)))
      const hash = asked.payload["hash"]
      if (typeof hash === "string") pairs.push(["hash", hash])
      const { body } = answerTo(asked, verb, verb === "auto" || verb === "custom" ? { ...values, notes: undefined } : values)
      expect([verb, fromForm(viewOf(asked), new URLSearchParams(pairs).toString())]).toEqual([verb, { ok: true, value: body }])
    }
  })

  test("[Q1] a form over MCP needs the same fields, and its reply is the same body", () => {
    const form = formOf(viewOf(asked))
    const verb = (["fill", "answer", "approve"] as const).find((one) => ways[one])
    if (form === undefined || verb === undefined) return expect(["budget", "effects"]).toContain(asked.kind)
    const fields = ways[verb]?.fields ?? []
    const needed = verb === "approve" ? ["decision"] : ways.custom ? [] : fields.filter(({ required }) => required).map(({ name }) => name)
    expect(form.requestedSchema.required).toEqual(needed)
    const content = { ...all(fields), ...(verb === "approve" ? { decision: "approve" } : {}) }
    expect(mcpAnswer(viewOf(asked), { action: "accept", content })).toEqual(answerTo(asked, verb, all(fields)).body)
  })

  test("[Q2] a reply over MCP that declines or cancels says nothing else, whatever its form holds", () => {
    if (formOf(viewOf(asked)) === undefined) return
    const content = { name: "Ada", size: "s", decision: "approve", feedback: "x" }
    const no = ways.reject ? { decision: "reject" } : { cancelled: true }
    expect(mcpAnswer(viewOf(asked), { action: "decline", content })).toEqual(no)
    expect(mcpAnswer(viewOf(asked), { action: "cancel", content })).toEqual({ cancelled: true })
  })

  test("[P6, P20] a text and an AG-UI resume become the same bodies", () => {
    expect(questionText(asked)).not.toBe("")
    for (const [verb, text, payload] of SPOKEN) {
      const way = ways[verb]
      if (!way || (asked.kind === "elicitation" && verb === "approve")) continue
      const [first] = way.fields
      if (first?.kind === "text" && verb === "answer") continue
      const values = verb === "answer" && first ? { answer: filled(first) } : verb === "commit" ? { commit: ["k0"] } : {}
      const { body } = answerTo(asked, verb, values)
      const words = verb === "answer" ? (first?.kind === "yes-no" ? "yes" : "1") : text
      if (words !== undefined) expect([verb, answerOfText(asked, words)]).toEqual([verb, body])
      const resumed = payload ?? (body.answer as Json)
      if (resumed !== undefined)
        expect([verb, aguiAnswer(asked, { interruptId: "i", status: "resolved", payload: resumed })]).toEqual([verb, body])
    }
  })
})

const SPOKEN: readonly (readonly [Verb, string | undefined, Json?])[] = [
  ["answer", undefined],
  ["approve", "approve", { approved: true }],
  ["stop", "stop"],
  ["all", "all"],
  ["none", "none"],
  ["commit", "1"],
]

const PRESSES: Readonly<Record<Verb, readonly [string, string]>> = {
  answer: ["answer", "text"],
  custom: ["custom", "1"],
  auto: ["auto", "1"],
  fill: ["fill", "1"],
  approve: ["decision", "approve"],
  reject: ["decision", "reject"],
  edit: ["decision", "edit"],
  stop: ["answer", '"stop"'],
  raise: ["raise", "1"],
  commit: ["commit", ""],
  all: ["answer", '{"commit":"all"}'],
  none: ["answer", '{"commit":[]}'],
  cancel: ["cancelled", "1"],
}

const pressOf = (field: QuestionField | undefined, value: unknown): [string, string] =>
  field?.kind === "choices" ? ["choose", "1"] : ["answer", field?.kind === "text" ? "text" : JSON.stringify(value)]
const answerPairs = (field: QuestionField | undefined, value: unknown): [string, string][] =>
  field?.kind === "choices" ? (value as string[]).map((one) => ["choice", one]) : field?.kind === "text" ? [["text", String(value)]] : []

function pairsOf(verb: Verb, name: string, value: unknown): [string, string][] {
  if (verb === "custom") return name === "custom" ? [["other", String(value)]] : []
  if (verb === "raise") return [[`raise.${name}`, String(value)]]
  if (verb !== "fill") return [[name, isObject(value) ? JSON.stringify(value) : String(value)]]
  const read = Array.isArray(value) ? "list" : typeof value === "number" ? "number" : typeof value === "boolean" ? "truth" : "text"
  return [value].flat().map((one) => [`field.${read}.${name}`, String(one)])
}

test("[Q3] why a person is asked has one wording", () => {
  const words = (reason: string) => question({ kind: "approval.tool", payload: { reason } }).why
  expect(["policy", "hook", "autonomy", "tainted"].map(words)).toMatchInlineSnapshot(`
    [
      "A rule of the agent, the flow, the tool or the policy requires approval before this tool runs.",
      "A hook of the policy requires approval for this call.",
      "In this flow, calls that change something need approval.",
      "The step has read text from outside, which may have caused this call. Look closely.",
    ]
  `)
  const asked = viewOf(askApproval("i1", "a", call, {}, shown))
  expect(answerPage(asked)).toContain(words("policy"))
  expect(formOf(asked)?.message).toContain(words("policy"))
})

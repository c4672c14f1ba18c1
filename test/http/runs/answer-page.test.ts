// The page of a link [Q3]: it says what a person must know, and answers what the API answers.

import { writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import type { InteractionView } from "../../../src/core/run/views/view.ts"
import { askApproval, askUser } from "../../../src/core/run/session/ask/interaction.ts"
import { elicitationAnswers, type Elicitation } from "../../../src/core/tool/elicitation.ts"
import { aboutOf } from "../../../src/http/runs/answers/answer-about.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const RUN = runId("a")
const ORIGIN = "https://app.example"
const question = (args: object) => askUser("i1", "a", "helper", { id: "c1", name: "ask_user", args: {} }, args as never)

function linked(asked: object, more: object = {}) {
  const { ask, acme, services } = setUp()
  const run = acme.run(RUN).begin("triage", { task: "Sort <b>this</b> \u202eticket" })
  run.interactions_ = [{ run: RUN, status: "pending", created: "2026-11-22T09:00:00.000Z", ...asked, ...more } as InteractionView]
  services.links.set("good", { run, interaction: "i1" })
  const headers = { accept: "text/html" }
  const look = (extra: Record<string, string> = {}) => ask("GET", "/i/good", { key: null, headers: { ...headers, ...extra } })
  const form = (...fields: [string, string][]) =>
    ask("POST", "/i/good", {
      key: null,
      body: new URLSearchParams(fields).toString(),
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    })
  return { ask, acme, run, look, form }
}

test("[Q3] it shows flow, task, what the tool does, why a person is asked, and until when", async () => {
  const call = { id: "c1", name: "add", args: {} }
  const shown = { reason: "tainted", effect: "write", hash: "h", expires: 0 } as const
  const { look } = linked(askApproval("i1", "a", call, { n: 1 }, shown), { expires: "2026-11-23T09:00:00.000Z", default: "reject" })
  const { text, headers } = await look()
  for (const word of ["triage", "Sort &lt;b&gt;this&lt;/b&gt; <mark>U+202E</mark>ticket", "read text from outside", "changes something"])
    expect(text).toContain(word)
  expect(text).toContain("2026-11-23T09:00:00.000Z; then: &quot;reject&quot;")
  expect(text).not.toMatch(/<script|<b>this/)
  const style = /<style>([^]*)<\/style>/.exec(text)?.[1] ?? ""
  const hash = createHash("sha256").update(style).digest("base64")
  expect(headers.get("content-security-policy")).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`,
  )
  expect(text).not.toContain(" style=")
  if (process.env["PAGE"] !== undefined) writeFileSync(process.env["PAGE"], text)
})

test("[Q2] several choices, own words, notes, and letting the agent choose", async () => {
  const many = {
    type: "select",
    question: "Which?",
    options: ["eu", "us", "asia"],
    multiSelect: true,
    allowCustom: true,
    defaultValue: "us",
  }
  for (const [fields, body] of [
    [
      [
        ["choice", "eu"],
        ["choice", "asia"],
        ["notes", "soon"],
        ["choose", "1"],
      ],
      { answer: ["eu", "asia"], notes: "soon" },
    ],
    [
      [
        ["notes", ""],
        ["choose", "1"],
      ],
      { answer: [] },
    ],
    [
      [
        ["other", "mars"],
        ["notes", ""],
        ["custom", "1"],
      ],
      { custom: "mars" },
    ],
    [
      [
        ["auto", "1"],
        ["notes", ""],
        ["other", ""],
      ],
      { auto: true },
    ],
    [
      [
        ["cancelled", "1"],
        ["notes", ""],
      ],
      { cancelled: true },
    ],
  ] as [[string, string][], object][]) {
    const { look, form, run } = linked(question(many))
    const { text } = await look()
    for (const [name] of fields) expect(text).toContain(`name="${name}"`)
    const r = await form(...fields)
    expect(r.status, r.text).toBe(200)
    expect(run.answers).toEqual([{ id: "i1", body, by: "link" }])
  }
})

test("[Q2] what is assumed is preselected", async () => {
  const select = { type: "select", question: "Which?", options: ["eu", "us"] }
  expect((await linked(question({ ...select, multiSelect: true }), { default: ["us"] }).look()).text).toMatch(/value="us" checked/)
  expect((await linked(question(select), { default: "us" }).look()).text).toMatch(/value="&quot;us&quot;" class="default"/)
  expect((await linked(question({ type: "confirm", question: "Go?" }), { default: false }).look()).text).toMatch(
    /value="false" class="default"/,
  )
  const input = linked(question({ type: "input", question: "Name?", defaultValue: "<Ann>\nLee" }))
  expect((await input.look()).text).toContain(">\n&lt;Ann&gt;\nLee</textarea>")
  await input.form(["text", "Bea"], ["notes", "n"], ["answer", "text"])
  expect(input.run.answers).toMatchObject([{ body: { answer: "Bea", notes: "n" } }])
})

test("[H7] pages of the tenant's origins may read answers of a link, and no others", async () => {
  const { ask, acme, look } = linked(question({ type: "confirm", question: "Go?" }))
  acme.account.listed = [ORIGIN]
  expect((await look({ origin: ORIGIN })).headers.get("access-control-allow-origin")).toBe(ORIGIN)
  expect((await look({ origin: "https://other.example" })).headers.get("access-control-allow-origin")).toBeNull()
  const answered = await ask("POST", "/i/good", { key: null, body: { answer: true }, headers: { origin: ORIGIN } })
  expect([answered.status, answered.headers.get("access-control-allow-origin")]).toEqual([200, ORIGIN])
  const bad = await ask("GET", "/i/bad", { key: null, headers: { origin: ORIGIN } })
  expect([bad.status, bad.headers.get("access-control-allow-origin")]).toEqual([403, null])
})

test("[Q3] of a long task 2,000 characters are shown", () => {
  const page = (task: string) => aboutOf({ kind: "ask_user", payload: {} } as unknown as InteractionView, { task })
  expect(page("x".repeat(2_000))).toContain(`<dd>${"x".repeat(2_000)}</dd>`)
  expect(page("x".repeat(2_001))).toContain(`<dd>${"x".repeat(2_000)}…</dd>`)
})

const elicitation = (asked: Elicitation) => ({
  id: "i1",
  kind: "elicitation",
  step: "a",
  payload: {
    question: asked.message,
    ...(asked.mode === "form" ? { mode: "form", form: asked.requested } : { ...asked, opens: "login.example" }),
    tool: "mcp:desk:book",
    host: "desk.example",
  },
  schema: elicitationAnswers(asked),
})

test("[T27] the form of a server's question is filled in on the page, each field with its type, an empty one left out", async () => {
  const requested = {
    type: "object",
    properties: {
      name: { type: "string", title: "Your <name>", default: 'B"o' },
      age: { type: "integer" },
      sure: { type: "boolean" },
      size: { type: "string", oneOf: [{ const: "l", title: "Large" }] },
      many: { type: "array", items: { type: "string", enum: ["p", "q"] } },
      empty: { type: "string" },
    },
    required: ["name"],
  }
  const { look, form, run } = linked(elicitation({ mode: "form", message: "Who?", requested }))
  const { text } = await look()
  for (const word of ["Asked by desk.example", "mcp:desk:book", "Your &lt;name&gt;", 'value="B&quot;o"', ">Large<", "age (optional)"])
    expect(text).toContain(word)
  expect(text).not.toMatch(/<script|<name>/)
  const fields: [string, string][] = [
    ["field.text.name", "Ann"],
    ["field.number.age", "7"],
    ["field.truth.sure", "false"],
    ["field.text.size", "l"],
    ["field.list.many", "p"],
    ["field.list.many", "q"],
    ["field.text.empty", ""],
    ["fill", "1"],
  ]
  expect((await form(["field.number.age", "7"], ["fill", "1"])).status).toBe(422)
  expect((await form(...fields)).status).toBe(200)
  expect(run.answers.at(-1)?.body).toEqual({ answer: { name: "Ann", age: 7, sure: false, size: "l", many: ["p", "q"] } })
})

test("[T27] a page that a server wants opened is a link with its host, and no link when it is no page", async () => {
  const { look } = linked(elicitation({ mode: "url", message: "Sign in.", url: "https://login.example/x?a=1&b=2" }))
  const { text } = await look()
  expect(text).toContain('<a href="https://login.example/x?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">')
  expect(text).toContain("a page of login.example")
  expect(text).toContain("I have done it")
  const script = linked(elicitation({ mode: "url", message: "Sign in.", url: "javascript:alert(1)" }))
  expect((await script.look()).text).not.toContain("<a ")
})

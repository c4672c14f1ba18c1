// What a link gives to a person without a key [Q3]: the answers that its page shows, and nothing once there is an answer.

import { describe, expect, test } from "vitest"
import type { InteractionView } from "../../../src/core/run/views/view.ts"
import { runId, setUp } from "../../support/http/ask.ts"

const RUN = runId("a")
const exactly = (name: string, schema: object, more: object = {}) => ({
  type: "object",
  properties: { [name]: schema, ...more },
  required: [name],
  additionalProperties: false,
})
const cancel = exactly("cancelled", { const: true })
const decide = (decision: string, more: object = {}) => exactly("decision", { const: decision }, more)
const raise = {
  type: "object",
  properties: { usd: { type: "number", exclusiveMinimum: 1 } },
  minProperties: 1,
  additionalProperties: false,
}

const APPROVAL = {
  kind: "approval.tool",
  payload: { tool: "post", args: { n: 7 }, hash: "hash7" },
  schema: {
    oneOf: [
      decide("approve", { hash: { type: "string" }, feedback: { type: "string" } }),
      decide("reject", { feedback: { type: "string" } }),
      { ...decide("edit", { args: { type: "object" }, hash: { type: "string" } }), required: ["decision", "args"] },
      cancel,
    ],
  },
}
const BUDGET = {
  kind: "budget",
  payload: { scope: "run", limit: { usd: 1 }, spent: { usd: 0.9 }, reserved: { usd: 0 }, needed: { usd: 0.2 } },
  schema: { oneOf: [exactly("answer", { const: "stop" }), exactly("answer", exactly("raise", raise))] },
}
const SELECT = {
  kind: "ask_user",
  payload: { type: "select", question: "Which region?", options: ["eu", "us"], allowCustom: true },
  schema: {
    oneOf: [exactly("answer", { enum: ["eu", "us"] }), exactly("custom", { type: "string" }), exactly("auto", { const: true }), cancel],
  },
}

const viewOf = (asked: object, more: object = {}): InteractionView =>
  ({ id: "i1", run: RUN, status: "pending", step: "a", created: "2026-11-22T09:00:00.000Z", ...asked, ...more }) as InteractionView

function linked(asked: object, { allow = [], ...more }: { allow?: readonly string[]; status?: string } = {}) {
  const { ask, acme, services } = setUp()
  const run = acme.run(RUN)
  run.interactions_ = [viewOf(asked, more)]
  services.links.set("good", { run, interaction: "i1", allow })
  const post = (body: object) => ask("POST", "/i/good", { key: null, body })
  const form = (fields: [string, string][]) =>
    ask("POST", "/i/good", {
      key: null,
      body: new URLSearchParams(fields).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    })
  const page = async () => (await ask("GET", "/i/good", { key: null, headers: { accept: "text/html" } })).text
  const look = () => ask("GET", "/i/good", { key: null })
  return { ask, run, post, form, page, look }
}

describe("what a link may do", () => {
  test.each([
    ["edit", APPROVAL, { decision: "edit", args: { n: 1e12 } }, { decision: "reject" }],
    ["edit", APPROVAL, { decision: "edit", args: {}, hash: "hash7" }, { decision: "approve", hash: "hash7" }],
    ["raise", BUDGET, { answer: { raise: { usd: 1e12 } } }, { answer: "stop" }],
  ])("[Q3] %s needs a link that was made for it", async (word, asked, beyond, plain) => {
    for (const allow of [[], [word === "edit" ? "raise" : "edit"], ["*"]]) {
      const { post, run, page, look } = linked(asked, { allow })
      const refused = await post(beyond)
      expect([refused.status, refused.body["code"], run.answers], refused.text).toEqual([403, "not_by_link", []])
      expect(JSON.stringify((await look()).body["schema"])).not.toContain(word)
      expect(await page()).not.toMatch(/value="edit"|name="raise/)
      expect((await post(plain)).status).toBe(200)
      expect(run.answers).toMatchObject([{ body: plain, by: "link" }])
    }
    const { post, run, page } = linked(asked, { allow: ["edit", "raise"] })
    expect(await page()).toMatch(/value="edit"|name="raise/)
    expect((await post(beyond)).status).toBe(200)
    expect(run.answers).toMatchObject([{ body: beyond }])
  })

  test("[Q3] forms are held to the same, and read what the page offers", async () => {
    const none = linked(APPROVAL)
    const edit: [string, string][] = [
      ["hash", "hash7"],
      ["feedback", ""],
      ["args", '{"n": 8}'],
      ["decision", "edit"],
    ]
    expect([(await none.form(edit)).status, none.run.answers]).toEqual([403, []])
    const may = linked(APPROVAL, { allow: ["edit"] })
    expect((await may.form(edit.map(([k, v]) => (k === "args" ? [k, "[1]"] : [k, v])))).status).toBe(422)
    expect((await may.form(edit)).status).toBe(200)
    expect(may.run.answers).toMatchObject([{ body: { decision: "edit", args: { n: 8 }, hash: "hash7" } }])

    const budget = linked(BUDGET, { allow: ["raise"] })
    await budget.form([
      ["raise.usd", "5"],
      ["raise", "1"],
    ])
    expect(budget.run.answers).toMatchObject([{ body: { answer: { raise: { usd: 5 } } } }])

    for (const [fields, body] of [
      [[["answer", '"eu"']], { answer: "eu" }],
      [[["auto", "1"]], { auto: true }],
      [[["cancelled", "1"]], { cancelled: true }],
      [
        [
          ["other", "asia"],
          ["custom", "1"],
        ],
        { custom: "asia" },
      ],
    ] as [[string, string][], object][]) {
      const select = linked(SELECT)
      for (const [name] of fields) expect(await select.page()).toContain(`name="${name}"`)
      expect((await select.form(fields)).status).toBe(200)
      expect(select.run.answers).toMatchObject([{ body }])
    }
  })

  test("[Q3] a link is made for these two and no other", async () => {
    const { ask } = linked(APPROVAL)
    const make = (allow: unknown) => ask("POST", `/v1/runs/${RUN}/interactions/i1/link`, { body: { allow } })
    expect((await make(["edit", "raise"])).body["url"]).toContain(".edit.raise")
    for (const allow of [["all"], "edit", ["edit", "edit", "edit"], [1]]) expect((await make(allow)).status).toBe(422)
  })

  test("[Q2] an answer that does not fit is 422 with what does, and leaves the question open", async () => {
    const { post, run } = linked(SELECT)
    const wrong = await post({ answer: "asia" })
    expect([wrong.status, wrong.body["code"], run.answers]).toEqual([422, "invalid", []])
  })
})

describe("after the answer", () => {
  const asked = { ...APPROVAL, answer: { decision: "approve" }, by: "link" }

  test.each(["answered", "expired", "withdrawn"])("[Q3] a link shows that the question is %s, and none of its content", async (status) => {
    const { page, look } = linked(asked, { status })
    const shown = await page()
    expect(shown).toContain(`This question is ${status}.`)
    for (const text of [shown, (await look()).text]) expect(text).not.toMatch(/post|"n"|&quot;n|approve|hash7/)
    expect((await look()).body).toEqual({ id: "i1", run: RUN, status })
  })

  test("[Q3] the answer itself and a second one are told no more", async () => {
    const { post, run } = linked(APPROVAL)
    const first = await post({ decision: "reject" })
    expect(first.text).not.toMatch(/post|"n"|reject/)
    run.answer = async () => ({ ok: false, code: "already_answered", interaction: viewOf(asked, { status: "answered" }) })
    const second = await post({ decision: "reject" })
    expect([second.status, second.body["interaction"]]).toEqual([409, { id: "i1", run: RUN, status: "answered" }])
  })
})

describe("what a reader of the page sees", () => {
  test.each([
    ["\u202e", "U+202E"],
    ["\u2066", "U+2066"],
    ["\u200b", "U+200B"],
    ["\ufeff", "U+FEFF"],
    ["\u{e0041}", "U+E0041"],
    ["\u2028", "U+2028"],
    ["\u009b", "U+009B"],
    ["\u00ad", "U+00AD"],
  ])("[Q3] %j is shown as %s in arguments, questions and options", async (char, name) => {
    const approval = linked(
      { ...APPROVAL, payload: { tool: `po${char}st`, args: { path: `a${char}b` }, hash: "hash7" } },
      { allow: ["edit"] },
    )
    const select = linked({
      ...SELECT,
      payload: { ...SELECT.payload, question: `Which${char}?`, options: [`e${char}u`] },
      schema: { oneOf: [exactly("answer", { enum: [`e${char}u`] })] },
    })
    for (const [page, times] of [
      [await approval.page(), 2],
      [(await select.page()).replaceAll(/value="[^"]*"/g, ""), 2],
    ] as const) {
      expect(page).not.toContain(char)
      expect(page.split(`<mark>${name}</mark>`)).toHaveLength(times + 1)
    }
  })

  test("[Q3] half a surrogate pair is visible, and edited arguments keep every character", async () => {
    const args = { path: "a\ud800b\u202e\u{e0041}\n</textarea><script>" }
    const { page, form, run } = linked({ ...APPROVAL, payload: { tool: "post", args, hash: "hash7" } }, { allow: ["edit"] })
    const html = await page()
    expect(html).not.toMatch(/<script|\u202e/)
    const text = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(html)?.[1] ?? ""
    const sent = text
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&")
    await form([
      ["args", sent],
      ["decision", "edit"],
    ])
    expect(run.answers).toMatchObject([{ body: { args: { path: args.path } } }])
  })
})

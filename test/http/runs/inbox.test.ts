// The tenant's inbox, questions outside a run, and signed links for people without a key [Q2].

import { describe, expect, test } from "vitest"
import { interactionView } from "../../../src/core/run/views/view.ts"
import { setUp } from "../../support/http/ask.ts"
import { call, Shell } from "../../support/kernel/shell.ts"
import { DEFAULT_POLICY } from "../../../src/core/policy/policy.ts"
import { agent, flowOf, planOf } from "../../support/kernel/builders.ts"

/** An approval request like the kernel's. */
function asked() {
  const rules = {
    policy: { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, tools: "always" as const } },
    scopes: [],
    version: 0,
  }
  const shell = new Shell(planOf(flowOf([agent("a")])), { rules })
  shell.reply("a", call("post", { n: 7 }))
  const [i] = shell.pending()
  if (!i) throw new Error("nothing was asked")
  return interactionView(shell.run, i)
}

const RUN = `run_${"a".repeat(26)}`

describe("the inbox", () => {
  test("[Q2] lists what runs ask and what was asked outside a run, oldest first", async () => {
    const { ask, acme } = setUp()
    acme.catalog.asking = [{ id: RUN, flow: "f" }]
    const run = acme.run(RUN)
    run.interactions_ = [asked()]
    run.interactions = async () => run.interactions_
    await ask("POST", "/v1/tools/ask_user", { body: { question: "Which?", type: "input" } })
    const r = await ask("GET", "/v1/interactions")
    expect(r.status).toBe(200)
    expect(r.body["data"]).toMatchObject([
      { id: "q_0", run: null, payload: { question: "Which?" } },
      { kind: "approval.tool", flow: "f", payload: { tool: "post", args: { n: 7 } } },
    ])
  })

  test("[Q1] ask_user outside a run answers 202 without waiting, and the first decision counts", async () => {
    const { ask } = setUp()
    expect((await ask("POST", "/v1/tools/ask_user", { body: { question: "Go?" } })).status).toBe(422)
    const select = await ask("POST", "/v1/tools/ask_user", { body: { question: "Which?", type: "select" } })
    expect([select.status, select.body["errors"]]).toMatchObject([422, [{ pointer: "/options" }]])
    const first = await ask("POST", "/v1/tools/ask_user", { body: { question: "Go?", type: "confirm" } })
    expect([first.status, first.headers.get("location")]).toEqual([202, "/v1/interactions/q_0"])
    expect((await ask("POST", "/v1/interactions/q_0", { body: { answer: "perhaps" } })).status).toBe(422)
    expect((await ask("POST", "/v1/interactions/q_0", { body: { answer: true } })).body).toMatchObject({
      status: "answered",
      answer: { answer: true },
    })
    expect((await ask("POST", "/v1/interactions/q_0", { body: { answer: false } })).status).toBe(409)
    expect((await ask("POST", "/v1/interactions/q_9", { body: { answer: true } })).status).toBe(404)
    expect((await ask("GET", "/v1/interactions/q_0")).body).toMatchObject({ answer: { answer: true } })
  })
})

describe("a signed link", () => {
  const linked = () => {
    const made = setUp()
    const run = made.acme.run(RUN)
    run.interactions_ = [asked()]
    made.house.links.set("good", { run, interaction: run.interactions_[0]?.id ?? "" })
    return { ...made, run }
  }

  test("[Q2] is created for an existing interaction, with a valid lifetime", async () => {
    const { ask } = linked()
    const made = await ask("POST", `/v1/runs/${RUN}/interactions/i1/link`, { body: { ttl: 60 } })
    expect([made.status, made.body["url"]]).toEqual([201, expect.stringContaining("/i/")])
    expect((await ask("POST", `/v1/runs/${RUN}/interactions/i7/link`)).status).toBe(404)
    expect((await ask("POST", `/v1/runs/${RUN}/interactions/i1/link`, { body: { ttl: 1 } })).status).toBe(422)
  })

  test("[Q2] GET changes nothing, the page shows the call as text, and a POST answers", async () => {
    const { ask, run } = linked()
    const looked = await ask("GET", "/i/good", { key: null, headers: { accept: "text/html" } })
    expect([looked.status, run.answers]).toEqual([200, []])
    expect(looked.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(looked.text).toContain("wants to run post")
    expect(looked.text).not.toContain("<script")
    const said = await ask("POST", "/i/good", { key: null, body: { decision: "reject", feedback: "no" } })
    expect([said.status, run.answers]).toMatchObject([200, [{ body: { decision: "reject", feedback: "no" }, by: "link" }]])
  })

  test("[Q2] a form answers just like JSON", async () => {
    const { ask, run } = linked()
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" }
    await ask("POST", "/i/good", { key: null, body: "decision=approve&hash=h1&feedback=", headers })
    expect(run.answers).toMatchObject([{ body: { decision: "approve", hash: "h1" } }])
  })

  test("[Q2] the form of the page has the same greatest sizes as a JSON answer", async () => {
    const { ask, run } = linked()
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const said = await ask("POST", "/i/good", { key: null, body: `decision=reject&feedback=${"x".repeat(65_537)}`, headers })
    expect([said.status, said.body["errors"]]).toEqual([
      422,
      [{ pointer: "/feedback", message: "has 65537 characters; at most 65536 are allowed" }],
    ])
    expect(run.answers).toEqual([])
  })

  test("[Q2] a link that was altered or has expired is refused, whatever the body", async () => {
    const { ask } = linked()
    expect((await ask("GET", "/i/bad", { key: null })).status).toBe(403)
    expect((await ask("POST", "/i/bad", { key: null, body: { decision: "approve" } })).status).toBe(403)
  })
})

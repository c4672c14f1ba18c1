// The tenant's inbox, questions outside a run, and signed links for people without a key [Q2].

import { describe, expect, test } from "vitest"
import { interactionView } from "../../../src/core/run/views/view.ts"
import { setUp } from "../../support/http/ask.ts"
import { call, Shell } from "../../support/kernel/shell.ts"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
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

  test("[Q2] [H5] a run that cannot be read is left out and named, and keeps nobody from the questions of the others", async () => {
    const { ask, acme } = setUp()
    const broken = `run_${"b".repeat(26)}`
    acme.catalog.asking = [
      { id: broken, flow: "f" },
      { id: RUN, flow: "f" },
    ]
    const run = acme.run(RUN)
    run.interactions = async () => [asked()]
    acme.run(broken).interactions = () => Promise.reject(new Error("database disk image is malformed"))
    const r = await ask("GET", "/v1/interactions")
    expect([r.status, r.body["left_out"]]).toEqual([200, [broken]])
    expect(r.body["data"]).toMatchObject([{ kind: "approval.tool" }])
    acme.run(broken).interactions = async () => []
    expect((await ask("GET", "/v1/interactions")).body).not.toHaveProperty("left_out")
  })

  test("[Q2] more than 50 flows, and what is no status or kind, is 422", async () => {
    const { ask } = setUp()
    const flows = (n: number): string => Array.from({ length: n }, (_, i) => `f${i}`).join()
    expect((await ask("GET", `/v1/interactions?flow=${flows(50)}`)).status).toBe(200)
    for (const query of [`flow=${flows(51)}`, "status=pending", "status=", "kind=x", "status=open,answered"])
      expect((await ask("GET", `/v1/interactions?${query}`)).status, query).toBe(422)
  })

  test("[H5] [Q2] `limit` counts questions, also of one run and of those outside, and every page continues where the last one ended", async () => {
    const { ask, acme } = setUp()
    const one = asked()
    const runs = [3, 0, 2, 1].map((open, n) => {
      const id = `run_${String(n).repeat(26)}`
      const run = acme.run(id).begin()
      run.interactions_ = Array.from({ length: open }, (_, i) => ({ ...one, id: `i${i + 1}`, run: id, status: "pending" as const }))
      return { id, flow: "f" }
    })
    acme.runList.asking = async ({ limit, cursor }) => {
      const from = cursor === undefined ? 0 : Number(cursor)
      const next = from + limit
      return { data: runs.slice(from, next), next_cursor: next < runs.length ? String(next) : null }
    }
    for (const question of ["One?", "Two?"]) await ask("POST", "/v1/tools/ask_user", { body: { question, type: "input" } })
    const whole = (await ask("GET", "/v1/interactions")).body["data"] as { id: string; run: string | null }[]
    expect(whole.length).toBe(8)
    const names = (rows: readonly { id: string; run: string | null }[]): string[] => rows.map(({ id, run }) => `${run ?? ""}/${id}`)
    for (let limit = 1; limit <= 9; limit++) {
      const seen: string[] = []
      const sizes: number[] = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body } = await ask("GET", `/v1/interactions?limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`)
        const rows = body["data"] as typeof whole
        seen.push(...names(rows))
        sizes.push(rows.length)
        cursor = body["next_cursor"] as string | null
      }
      expect([limit, seen.toSorted()]).toEqual([limit, names(whole).toSorted()])
      expect(sizes.slice(0, -1).every((size) => size === limit) && (sizes.at(-1) ?? 0) <= limit, `${limit}: ${sizes.join()}`).toBe(true)
    }
    expect((await ask("GET", "/v1/interactions?limit=0")).status).toBe(422)
  })

  test("[H5] a question answered between two pages neither repeats nor hides another", async () => {
    const { ask, acme } = setUp()
    const run = acme.run(RUN)
    acme.catalog.asking = [{ id: RUN, flow: "f" }]
    run.begin()
    run.interactions_ = ["i1", "i2", "i3"].map((id) => ({ ...asked(), id, run: RUN }))
    const first = (await ask("GET", "/v1/interactions?limit=1")).body
    run.interactions_ = run.interactions_.map((i) => (i.id === "i1" ? { ...i, status: "answered" as const } : i))
    const rest = (await ask("GET", `/v1/interactions?limit=2&cursor=${String(first["next_cursor"])}`)).body
    expect([first["data"], rest["data"]]).toMatchObject([[{ id: "i1" }], [{ id: "i2" }, { id: "i3" }]])
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
    made.services.links.set("good", { run, interaction: run.interactions_[0]?.id ?? "" })
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

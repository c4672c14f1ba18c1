// GET /v1/runs/{run}/diff with a real run [K5].

import { beforeAll, describe, expect, test } from "vitest"
import { agent, ask, call, ended, eventsOf, flow, start, until } from "../../support/worker/house.ts"

const SAID = [
  { calls: [{ tool: "write", args: { path: "n.txt", content: "one\n" } }] },
  { calls: [{ tool: "write", args: { path: "n.txt", content: "one\ntwo\n" } }] },
  { calls: [{ tool: "bash", args: { command: "rm given.txt && printf 'a\\0b' > d.bin" } }] },
  { finish: { status: "complete", summary: "A" } },
]

interface Row {
  readonly path: string
  readonly state: string
  readonly diff: string | null
}
interface Diff {
  readonly from: number
  readonly to: number
  readonly data: Row[]
  readonly next_cursor: string | null
}
const diff = (id: string, query = ""): Promise<Diff> => ask<Diff>("GET", `/v1/runs/${id}/diff${query}`)

let id = ""
let changes: number[] = []
let last = 0

beforeAll(async () => {
  await ask("PUT", "/v1/settings/providers/differ", { kind: "scripted", turns: { a: SAID } })
  await ask("PUT", "/v1/catalog", {
    agents: { "a.md": agent("a", "write, bash").replace("rehearsal/default", "differ/a") },
    flows: {
      "differ.yaml": flow("differ", "  - { id: a, type: agent, agent: a }\n"),
      "waits.yaml": flow("waits", "  - { id: w, type: wait, signal: go }\n"),
    },
  })
  id = await start("differ", { files: { "given.txt": "given" } })
  await until(id, ended)
  const events = await eventsOf(id)
  last = events.length
  changes = events.flatMap((e) => (e.type === "file.changed" ? [e.seq] : []))
})

describe("the diff of a run's files", () => {
  test("[K5] since the start: added, changed and removed, text and binary", async () => {
    expect(await diff(id)).toEqual({
      from: 1,
      to: last,
      data: [
        { path: "d.bin", state: "added", before: null, after: 3, binary: true, diff: null, cut: false },
        {
          path: "given.txt",
          state: "removed",
          before: 5,
          after: null,
          binary: false,
          diff: "@@ -1 +0,0 @@\n-given\n\\ No newline at end of file\n",
          cut: false,
        },
        { path: "n.txt", state: "added", before: null, after: 8, binary: false, diff: "@@ -0,0 +1,2 @@\n+one\n+two\n", cut: false },
      ],
      next_cursor: null,
    })
  })

  test("[K5] between two moments", async () => {
    const [one = 0, two = 0] = changes
    expect((await diff(id, `?from=${one}&to=${two}`)).data).toMatchObject([
      { path: "n.txt", state: "changed", before: 4, after: 8, diff: "@@ -1 +1,2 @@\n one\n+two\n" },
    ])
    expect((await diff(id, `?from=${two}&to=${two}`)).data).toEqual([])
    expect((await diff(id, `?to=${one}`)).data).toMatchObject([{ path: "n.txt", state: "added" }])
    expect((await diff(id, `?from=${last}`)).data).toEqual([])
  })

  test("[H5] [K5] in pages, of the same two moments", async () => {
    const whole = (await diff(id)).data
    const got: Row[] = []
    for (let cursor = ""; ;) {
      const page = await diff(id, `?limit=1${cursor}`)
      got.push(...page.data)
      expect(page.to).toBe(last)
      if (page.next_cursor === null) break
      cursor = `&cursor=${page.next_cursor}`
    }
    expect(got).toEqual(whole)
    const { next_cursor } = await diff(id, "?limit=1")
    for (const query of [`?from=2&cursor=${next_cursor}`, `?to=2&cursor=${next_cursor}`, "?cursor=x"])
      expect((await call("GET", `/v1/runs/${id}/diff${query}`)).status, query).toBe(422)
  })

  test("[K5] of a run that is under way, as far as it is", async () => {
    const live = await start("waits", { files: { "a.txt": "a" } })
    await until(live, (run) => run.status === "waiting")
    expect((await diff(live)).data).toEqual([])
    await call("PUT", `/v1/runs/${live}/files/b.txt`, "b")
    expect((await diff(live)).data).toMatchObject([{ path: "b.txt", state: "added" }])
    await ask("POST", `/v1/runs/${live}/cancel`, {})
  })

  test("[H2] [H3] what is no moment is 422 and says which there are; an unknown run is 404", async () => {
    for (const query of [
      "from=0",
      `from=${last + 1}`,
      `to=${last + 1}`,
      "from=3&to=2",
      "from=x",
      "to=-1",
      "limit=0",
      "limit=201",
      "form=1",
    ]) {
      const refused = await call("GET", `/v1/runs/${id}/diff?${query}`)
      expect(refused.status, query).toBe(422)
    }
    const beyond = await call("GET", `/v1/runs/${id}/diff?to=${last + 1}`)
    expect(await beyond.json()).toMatchObject({ first: 1, last, errors: [{ pointer: "?to" }] })
    expect((await call("GET", `/v1/runs/run_${"0".repeat(26)}/diff?from=9&to=1`)).status).toBe(404)
    expect((await call("GET", "/v1/runs/x/diff")).status).toBe(404)
  })
})

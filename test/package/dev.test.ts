// What `sluice dev` does with a save, against a client that notes what it is asked; and what its watcher tells.

import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { affectedFlows, changedPaths } from "../../cli/dev/affected.ts"
import { Rounds, type SessionDraft, type RoundNews } from "../../cli/dev/round.ts"
import { settled } from "../../cli/dev/settled.ts"
import { startFault } from "../../cli/dev/start-fault.ts"
import { watchFolder } from "../../cli/dev/watcher.ts"
import type { Bundle } from "../../src/api/catalog.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { Trouble } from "../../local/trouble.ts"
import { agent, flow, step } from "../support/engine/memory-catalog.ts"

let folder = ""
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-dev-"))
  await write("sluice.yaml", "name: t\n")
  await write("agents/a.md", agent("a"))
  await write("agents/b.md", agent("b"))
  await write("flows/one.yaml", flow("one", step("s", "a")))
  await write("flows/one.test.yaml", "cases:\n  - { name: works, task: t, expect: { status: succeeded } }\n")
  await write("flows/two.yaml", flow("two", step("s", "b")))
  await write("flows/two.rehearsal.yaml", "steps:\n  s:\n    - finish: { status: complete, summary: done }\n")
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function write(name: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
  await writeFile(path.join(folder, name), text)
}

function stand(draft?: SessionDraft, isNew = false) {
  const asked: string[] = []
  const told: RoundNews[] = []
  const client = new Sluice({
    url: "http://127.0.0.1:1",
    retries: 0,
    fetch: async (url, { method }) => {
      const { pathname } = new URL(url)
      asked.push(`${method} ${decodeURIComponent(pathname)}`)
      if (pathname === "/v1/catalog/plan")
        return Response.json({ revision: 0, drift: { since: isNew ? null : 3, changes: [], more: false } })
      if (pathname.startsWith("/v1/catalog")) return Response.json({ revision: asked.length, diagnostics: {} })
      if (pathname.endsWith("/test")) return Response.json({ flow: "one", passed: 1, failed: 0, cases: [] })
      return Response.json({ id: "run_1", status: "succeeded" })
    },
  })
  const rounds = new Rounds(
    folder,
    () => client,
    (one) => void told.push(one),
    draft,
  )
  const round = async (): Promise<{ asked: string[]; told: string[] }> => {
    await rounds.round()
    return { asked: asked.splice(0), told: told.splice(0).map((one) => one.type) }
  }
  return { round, told, rounds, asked }
}

describe("a save", () => {
  test("[K21, F80] is drafted, and exactly the flows it concerns are rehearsed and tested, in the draft", async () => {
    const { round } = stand()
    expect(await round()).toEqual({
      asked: ["PUT /v1/catalog/drafts/dev", "POST /v1/flows/one@draft:dev/test"],
      told: ["checked", "applied", "tested", "done"],
    })
    expect(await round()).toEqual({ asked: [], told: [] })
    await write("agents/b.md", agent("b", undefined, "Do it well.\n\n${{task}}\n"))
    expect(await round()).toEqual({
      asked: ["PUT /v1/catalog/drafts/dev", "POST /v1/flows/two@draft:dev/runs"],
      told: ["checked", "applied", "rehearsed", "done"],
    })
  })

  test("[F80] a server that never had the project is given it once; any other is not", async () => {
    const own = { name: "dev", mode: "replace", gives: true } as const
    const fresh = stand(own, true)
    expect(await fresh.round()).toEqual({
      asked: ["POST /v1/catalog/plan", "PUT /v1/catalog", "PUT /v1/catalog/drafts/dev", "POST /v1/flows/one@draft:dev/test"],
      told: ["checked", "applied", "applied", "tested", "done"],
    })
    await write("agents/a.md", agent("a", undefined, "Do it well.\n\n${{task}}\n"))
    expect((await fresh.round()).asked).toEqual(["PUT /v1/catalog/drafts/dev", "POST /v1/flows/one@draft:dev/test"])
    const known = stand(own)
    expect((await known.round()).asked).toEqual([
      "POST /v1/catalog/plan",
      "PUT /v1/catalog/drafts/dev",
      "POST /v1/flows/one@draft:dev/test",
    ])
  })

  test("[F80] of a setting says that it takes effect with an apply; of what a draft has, nothing", async () => {
    const { rounds, told } = stand()
    await rounds.round()
    await write("prices.yaml", "own/*: { input: 1, output: 2 }\n")
    await write("agents/b.md", agent("b", undefined, "Do it well.\n\n${{task}}\n"))
    told.splice(0)
    await rounds.round()
    expect(told).toContainEqual(expect.objectContaining({ type: "applied", draft: "dev", waiting: ["prices.yaml"] }))
  })

  test("[F80] on a server of others takes away what the session had sent, and ends with its draft", async () => {
    const { round, rounds, asked } = stand({ name: "dev-1", mode: "merge" })
    await rounds.end()
    expect(asked.splice(0)).toEqual([])
    await round()
    await rm(path.join(folder, "flows/two.yaml"))
    await rm(path.join(folder, "flows/two.rehearsal.yaml"))
    expect((await round()).asked).toEqual(["PUT /v1/catalog/drafts/dev-1"])
    await rounds.renew()
    await rounds.end()
    expect(asked).toEqual(["PUT /v1/catalog/drafts/dev-1", "DELETE /v1/catalog/drafts/dev-1"])
  })

  test("[F5, F80] of a flow in a folder below flows names it by its id", async () => {
    await write("flows/legal/nda.yaml", flow("nda", step("s", "a")))
    await write("tests/legal/nda.test.yaml", "cases:\n  - { name: works, task: t, expect: { status: succeeded } }\n")
    const { round } = stand()
    expect((await round()).asked).toContain("POST /v1/flows/legal:nda@draft:dev/test")
    await write("flows/legal/nda/flow.yaml", flow("nda", step("t", "a")))
    await rm(path.join(folder, "flows/legal/nda.yaml"))
    expect((await round()).asked).toContain("POST /v1/flows/legal:nda@draft:dev/test")
    await write("flows/caller.yaml", "name: caller\ndescription: d\nsteps:\n  - { id: s, type: flow-ref, flow: legal:nda }\n")
    await round()
    await write("flows/legal/nda/flow.yaml", flow("nda", step("u", "a")))
    await write("tests/caller.test.yaml", "cases:\n  - { name: works, task: t, expect: { status: succeeded } }\n")
    expect((await round()).asked.filter((one) => one.endsWith("/test")).sort()).toEqual([
      "POST /v1/flows/caller@draft:dev/test",
      "POST /v1/flows/legal:nda@draft:dev/test",
    ])
  })

  test("[F73] with a fault is told with its place, and applied once it is mended", async () => {
    const { round } = stand()
    await round()
    await write("flows/one.yaml", "name: one\nsteps: [")
    expect(await round()).toEqual({ asked: [], told: ["checked", "done"] })
    await write("flows/one.yaml", flow("one", step("t", "a")))
    expect((await round()).told).toEqual(["checked", "applied", "tested", "done"])
  })

  test("[F2, F73] of sluice.yaml alone is checked, with the place of a fault", async () => {
    const { rounds, told } = stand()
    await rounds.round()
    told.splice(0)
    await write("sluice.yaml", "nam: t\n")
    await rounds.round()
    expect(told.splice(0)).toMatchObject([
      { type: "checked", changed: ["sluice.yaml"], valid: false, diagnostics: { "sluice.yaml": [{ code: "PV-FIELD", line: 1 }] } },
      { type: "done", passed: false },
    ])
    await write("sluice.yaml", "name: t\n")
    await rounds.round()
    expect(told).toMatchObject([
      { type: "checked", changed: ["sluice.yaml"], valid: true },
      { type: "applied" },
      { type: "done", passed: true },
    ])
  })

  test("[F73] that could not be read is followed by one that says all is well again", async () => {
    const { rounds, told } = stand()
    await rounds.round()
    told.splice(0)
    await writeFile(path.join(folder, "agents/odd.md"), Buffer.from([0xff, 0xfe, 0x00]))
    await rounds.round()
    await rm(path.join(folder, "agents/odd.md"))
    await rounds.round()
    await rounds.round()
    expect(told.map((one) => one.type)).toEqual(["failed", "checked", "applied", "done"])
  })

  test("[F73] that takes the whole folder away, or breaks sluice.yaml, does not end it", async () => {
    const { round } = stand()
    await round()
    for (const name of ["agents", "flows"]) await rename(path.join(folder, name), path.join(folder, `was-${name}`))
    expect((await round()).told).toEqual(["checked", "applied", "done"])
    await write("sluice.yaml", "tools: 7\n")
    for (const name of ["agents", "flows"]) await rename(path.join(folder, `was-${name}`), path.join(folder, name))
    expect(await round()).toEqual({ asked: [], told: ["checked", "done"] })
    await write("sluice.yaml", "")
    expect((await round()).told).toContain("applied")
  })
})

describe("what stops it from serving", () => {
  test.each([
    ["port 8787 on 127.0.0.1 is used by another program: stop it, or choose another port: PORT=8788 npm start", /^port 8787 .*--port 0/],
    ["the data folder /p/.sluice is in use by another server (process 7, on port 80): stop it (kill 7)", /already runs .*\(process 7\)/],
    ["the data folder /p q/.sluice is in use by another server: stop it, or use another folder", /already runs for this folder:/],
    ["port 80 on 127.0.0.1 is not allowed for this user: choose one above 1023", /^port 80 .*above 1023/],
  ])("[H11] %s", (said, expected) => {
    const fault = startFault(new Trouble(said))
    expect(fault instanceof Trouble && fault.message).toMatch(expected)
    expect(fault instanceof Trouble && fault.message).not.toContain("npm start")
  })
})

describe("which flows a change concerns", () => {
  const bundle: Bundle = {
    agents: { "a.md": "skills: [style]", "b.md": "nothing" },
    skills: { "style/SKILL.md": "s" },
    flows: { "child.yaml": "agent: a", "parent.yaml": "flow: child", "other.yaml": "agent: b", "child.test.yaml": "cases: []" },
    code: { "other/step.ts": "x" },
  }
  test.each([
    ["skills/style/SKILL.md", ["child", "parent"]],
    ["agents/b.md", ["other"]],
    ["code/other/step.ts", ["other"]],
    ["flows/child.test.yaml", ["child", "parent"]],
    ["agents/gone.md", []],
  ])("[F73] %s", (changed, flows) => {
    expect(affectedFlows(bundle, [changed])).toEqual(flows)
  })

  test("[F73] a file that is new, gone or other counts as changed", () => {
    expect(changedPaths({ agents: { "x.md": "1", "y.md": "1" } }, { agents: { "y.md": "2", "z.md": "1" } })).toEqual([
      "agents/x.md",
      "agents/y.md",
      "agents/z.md",
    ])
  })
})

describe("the watcher", () => {
  test("[F73] tells of 1,000 files in few calls, and the last call sees them all", async () => {
    let calls = 0
    let wake = (): void => {}
    const watching = await watchFolder(
      folder,
      () => ["agents", "flows"],
      async () => {
        calls += 1
        wake()
      },
    )
    try {
      const called = new Promise<void>((done) => (wake = done))
      await Promise.all(Array.from({ length: 1_000 }, (_, i) => write(`flows/f${i}.yaml`, "x")))
      await called
      // Every call begins after the events before it were told, so there are far fewer than files.
      expect(calls).toBeLessThan(100)
      const again = new Promise<void>((done) => (wake = done))
      await write("agents/c.md", "y")
      await again
    } finally {
      watching.stop()
    }
  })

  test("a save that has only emptied its file is read once it is filled", async () => {
    await write("agents/a.md", "")
    let looks = 0
    await settled([path.join(folder, "agents/a.md"), path.join(folder, "agents/gone.md")], async () => {
      looks += 1
      if (looks === 3) await write("agents/a.md", agent("a"))
    })
    expect(looks).toBe(3)
  })

  test("a file that stays empty does not keep the others waiting for ever", async () => {
    await write("agents/a.md", "")
    let looks = 0
    await settled([path.join(folder, "agents/a.md")], async () => void (looks += 1))
    expect(looks).toBe(20)
  })
})

// An architect's staged files: checked like catalog writes, stored outside it, accepted as one revision or not at all.

import { describe, expect, test } from "vitest"
import { MAX_FILES, MAX_SESSIONS } from "../../../../src/engine/catalog/staging/staging.ts"
import { agent, flow, step } from "../../../support/engine/memory-catalog.ts"
import { studio } from "../../../support/engine/memory-staging.ts"

const A = "run_a".padEnd(30, "0")
const B = "run_b".padEnd(30, "0")
const C = "run_c".padEnd(30, "0")
const DAY = 24 * 60 * 60 * 1000
const house = { agents: { "keeper.md": agent("keeper") }, flows: { "house.yaml": flow("house", step("x", "keeper")) } }
const swept = flow("house", step("x", "keeper", ", task: sweep"))

/** A session of a new flow. */
async function begun(bundle?: Parameters<typeof studio>[0]) {
  const s = await studio(bundle)
  expect(await s.staging.open({ id: A, task: "make it" })).toEqual({ ok: true, task: "make it" })
  const write = (path: string, content: string, id = A, run = id) =>
    s.staging.write(id, run, path.startsWith("agents/") ? "agent" : "flow", path, content)
  return { ...s, write }
}
/** A session that changes the flow `house`. */
async function changing() {
  const s = await studio(house)
  const opened = await s.staging.open({ id: A, task: "sweep instead", flow: "house" })
  if (!opened.ok) throw new Error(opened.code)
  return { ...s, task: opened.task }
}
const names = (rows: readonly { readonly name: string }[]): string[] => rows.map((row) => row.name)

describe("writing", () => {
  test("[F71] a staged file is checked against the catalog and the other staged files, and is visible only in its session", async () => {
    const { staging, catalog, rows, blobs, write } = await begun(house)
    const [commits, puts] = [rows.commits.length, blobs.puts]
    expect(await write("flows/f.yaml", flow("f", step("x", "new")))).toMatchObject({ written: false, diagnostics: [{ code: "FV-AGENT" }] })
    expect(await write("agents/new.md", agent("new"))).toMatchObject({ written: true, path: "agents/new.md", diagnostics: [] })
    expect(await write("flows/f.yaml", flow("f", step("x", "new") + step("y", "keeper")))).toMatchObject({ written: true })
    expect([names(await staging.agents(A)).includes("new"), names(await catalog.agents()).includes("new")]).toEqual([true, false])
    expect((await staging.agents(A)).find((row) => row.name === "new")).toMatchObject({
      source_type: "local",
      source_path: "agents/new.md",
    })
    expect([await catalog.read("flow", "f"), rows.commits.length, blobs.puts]).toEqual([undefined, commits, puts])
    const view = await staging.look(A)
    expect(view?.files.map((f) => [f.path, f.change, f.diagnostics])).toEqual([
      ["agents/new.md", "added", []],
      ["flows/f.yaml", "added", []],
    ])
    expect(view?.diff["agents/new.md"]?.split("\n").slice(0, 2)).toEqual(["@@ -0,0 +1,9 @@", "+---"])
  })

  test("[F73] an error stages nothing and keeps what was staged before", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    const before = await staging.look(A)
    expect(await write("agents/a.md", "nothing")).toMatchObject({ written: false })
    expect(await write("agents/../x.md", agent("x"))).toMatchObject({ written: false, diagnostics: [{ code: "CAT-PATH" }] })
    expect(await write("skills/s/SKILL.md", "x")).toMatchObject({ written: false, diagnostics: [{ code: "CAT-PATH" }] })
    expect(await staging.look(A)).toEqual(before)
  })

  test("[J11] a repeated write counts once; a text equal to the catalog's is not a change", async () => {
    const { staging, write } = await begun(house)
    const first = await write("agents/a.md", agent("a"))
    expect(await write("agents/a.md", agent("a"))).toEqual(first)
    expect(await write("flows/house.yaml", swept)).toMatchObject({ written: true })
    expect((await staging.look(A))?.files).toHaveLength(2)
    expect(await write("flows/house.yaml", house.flows["house.yaml"])).toMatchObject({ written: true })
    expect((await staging.look(A))?.files.map((f) => f.path)).toEqual(["agents/a.md"])
  })

  test("[M3] a rehearsal may be staged with its flow", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    await write("flows/f.yaml", flow("f", step("x", "a")))
    const text = "steps:\n  x:\n    - finish: { status: complete, summary: s }\n"
    expect(await write("flows/f.rehearsal.yaml", text)).toMatchObject({ written: true, diagnostics: [] })
    expect(await staging.accept(A, { run: A })).toMatchObject({
      ok: true,
      paths: ["agents/a.md", "flows/f.rehearsal.yaml", "flows/f.yaml"],
    })
  })

  test("[F5] a flow that is stored or staged under another path is not staged again", async () => {
    const { write } = await begun(house)
    expect(await write("flows/house/flow.yaml", swept)).toMatchObject({ written: false, diagnostics: [{ code: "CAT-TWICE" }] })
    await write("flows/f.yaml", flow("f", step("x", "keeper")))
    expect(await write("flows/f/flow.yaml", flow("f", step("x", "keeper")))).toMatchObject({
      written: false,
      diagnostics: [{ code: "CAT-TWICE" }],
    })
  })

  test("[F70] a file that hides a built-in is a change of it, with a warning", async () => {
    const { staging, write } = await begun()
    await write("flows/hello.yaml", flow("hello", step("greet", "flow-decision")))
    const view = await staging.look(A)
    expect(view?.files).toMatchObject([{ change: "changed", diagnostics: [{ code: "CAT-SHADOW" }] }])
    expect(view?.diff["flows/hello.yaml"]).toContain("-  - { id: greet, type: agent, agent: flow-architect }")
  })

  test("[H6] a session holds 50 files and 1 MiB, no more", async () => {
    const { staging, write } = await begun()
    for (let i = 0; i < MAX_FILES; i++) expect((await write(`agents/a${i}.md`, agent(`a${i}`))).written).toBe(true)
    expect(await write("agents/more.md", agent("more"))).toMatchObject({ written: false, error: expect.stringContaining("50") })
    expect((await write("agents/a1.md", agent("a1", "tools: grep\n"))).written).toBe(true)
    await staging.open({ id: B, task: "long" })
    const long = (name: string) => agent(name, "tools: read\n", `${"word ".repeat(50_000)}\n\${{task}}\n`)
    const wrote: boolean[] = []
    for (const name of ["b1", "b2", "b3", "b4", "b5"]) wrote.push((await write(`agents/${name}.md`, long(name), B)).written)
    expect(wrote).toEqual([true, true, true, true, false])
  })

  test("[F73] only the current run of an open session can write", async () => {
    const { staging, write } = await begun()
    const file = ["agents/a.md", agent("a")] as const
    expect((await write(...file, A, B)).written).toBe(false)
    expect((await write(...file, B)).written).toBe(false)
    await write(...file)
    await staging.revise(A, { run: A, next: B, notes: "again", fresh: false })
    expect([(await write(...file, A, A)).written, (await write(...file, A, B)).written]).toEqual([false, true])
    await staging.accept(A, { run: B })
    expect((await write(...file, A, B)).written).toBe(false)
  })
})

describe("the architect's task", () => {
  test("[F40] for a change: the request, the flow's whole text, its own agents, and its faults", async () => {
    const { task } = await changing()
    for (const part of ["sweep instead", house.flows["house.yaml"], house.agents["keeper.md"], 'path="flows/house.yaml"'])
      expect(task).toContain(part)
    const broken = await studio(house)
    await broken.catalog.remove("agent", "keeper")
    const opened = await broken.staging.open({ id: A, task: "mend it", flow: "house" })
    expect(opened.ok && opened.task).toContain("FV-AGENT")
  })

  test("[F70] a built-in is shown with the path of the copy that would hide it", async () => {
    const { staging } = await studio()
    const opened = await staging.open({ id: A, task: "greet twice", flow: "hello" })
    expect(opened.ok && opened.task).toContain('<flow path="flows/hello.yaml">')
    expect(opened.ok && opened.task).not.toContain("<agent")
  })

  test("[F72] a flow that is missing or whose text is lost opens no session", async () => {
    const { staging, catalog, blobs } = await studio(house)
    expect(await staging.open({ id: A, task: "t", flow: "gone" })).toEqual({ ok: false, code: "no_flow" })
    blobs.lose((await catalog.read("flow", "house"))?.hash ?? "")
    expect(await staging.open({ id: A, task: "t", flow: "house" })).toEqual({ ok: false, code: "no_flow" })
    expect(await staging.look(A)).toBeUndefined()
  })

  test("[F73] for a revision: notes, texts, differences, faults, and changes by others in the meantime", async () => {
    const { staging, catalog } = await changing()
    await staging.write(A, A, "flow", "flows/house.yaml", swept)
    await catalog.put("flow", "flows/house.yaml", flow("house", step("x", "keeper", ", description: theirs")))
    const back = await staging.revise(A, { run: A, next: B, notes: "and mop", fresh: false })
    if (!back.ok) throw new Error(back.code)
    for (const part of ["sweep instead", "and mop", "round 2", swept, "description: theirs", "-  - { id: x", "+  - { id: x"])
      expect(back.task).toContain(part)
    expect((await staging.look(A))?.files[0]?.moved).toBeUndefined()
    expect(await staging.accept(A, { run: B })).toMatchObject({ ok: true })
  })

  test("[F73] if nothing was written, the current flow is shown again", async () => {
    const { staging, catalog } = await changing()
    await catalog.put("flow", "flows/house.yaml", flow("house", step("x", "keeper", ", description: theirs")))
    const back = await staging.revise(A, { run: A, next: B, notes: "try again", fresh: false })
    expect(back.ok && back.task).toContain("description: theirs")
    await staging.write(A, B, "flow", "flows/house.yaml", swept)
    expect(await staging.accept(A, { run: B })).toMatchObject({ ok: true })
  })

  test("[F73] fresh drops the files written so far", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    const back = await staging.revise(A, { run: A, next: B, notes: "otherwise", fresh: true })
    expect([back.ok && back.task.includes("agents/a.md"), (await staging.look(A))?.files]).toEqual([false, []])
  })

  test("[H4] a repeated request for the same run is the same round", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    const back = { run: A, next: B, notes: "n", fresh: true }
    const first = await staging.revise(A, back)
    await write("agents/b.md", agent("b"), A, B)
    expect(await staging.revise(A, { ...back, run: B })).toMatchObject({ ok: true, iteration: first.ok ? first.iteration : 0 })
    expect((await staging.look(A))?.files.map((f) => f.path)).toEqual(["agents/b.md"])
    expect(await staging.revise(A, { ...back, run: A, next: C })).toEqual({ ok: false, code: "other_run" })
  })
})

describe("accepting", () => {
  test("[F71] all files are one revision by the person, and a second accept returns the same revision", async () => {
    const { staging, catalog, rows, write } = await begun(house)
    await write("agents/new.md", agent("new"))
    await write("flows/f.yaml", flow("f", step("x", "new")))
    const commits = rows.commits.length
    const seen = await staging.look(A)
    const done = await staging.accept(A, { run: A, ifMatch: seen?.tag ?? "" }, "ann")
    expect(done).toEqual({ ok: true, revision: 2, paths: ["agents/new.md", "flows/f.yaml"] })
    expect(await staging.accept(A, { run: A }, "bob")).toEqual(done)
    expect([rows.commits.length, rows.revisions(9, 1)]).toMatchObject([
      commits + 1,
      [{ revision: 2, by: "ann", action: "write", changed: 2 }],
    ])
    expect(await catalog.read("flow", "f")).toMatchObject({ content: flow("f", step("x", "new")), tier: "local", diagnostics: [] })
    const after = await staging.look(A)
    expect([after?.state, after?.revision, after?.diff, after?.tag]).toEqual(["accepted", 2, seen?.diff, seen?.tag])
  })

  test("[F73] a file that changed under a staged file is named, and nothing is written", async () => {
    const { staging, catalog } = await changing()
    await staging.write(A, A, "flow", "flows/house.yaml", swept)
    const base = (await catalog.read("flow", "house"))?.hash
    const put = await catalog.put("flow", "flows/house.yaml", flow("house", step("x", "keeper", ", task: theirs")))
    const current = "hash" in put ? put.hash : undefined
    expect(await staging.accept(A, { run: A })).toEqual({ ok: false, code: "moved", moved: [{ path: "flows/house.yaml", base, current }] })
    expect((await staging.look(A))?.files[0]?.moved).toEqual({ base, current })
    await catalog.remove("flow", "house")
    expect(await staging.accept(A, { run: A })).toMatchObject({ moved: [{ current: null }] })
    expect(await catalog.read("flow", "house")).toBeUndefined()
  })

  test("[F73] a body that changed between being shown and being overwritten counts too", async () => {
    const { staging, catalog } = await changing()
    await catalog.put("flow", "flows/house.yaml", flow("house", step("x", "keeper", ", task: theirs")))
    await staging.write(A, A, "flow", "flows/house.yaml", swept)
    expect(await staging.accept(A, { run: A })).toMatchObject({ ok: false, code: "moved" })
  })

  test("[F73] a new file conflicts with a file of the same name written in the meantime", async () => {
    const { staging, catalog, write } = await begun()
    await write("agents/a.md", agent("a"))
    await catalog.put("agent", "agents/a.md", agent("a", "tools: grep\n"))
    expect(await staging.accept(A, { run: A })).toMatchObject({ code: "moved", moved: [{ base: null }] })
    await catalog.put("agent", "agents/a.md", agent("a"))
    expect(await staging.accept(A, { run: A })).toMatchObject({ ok: true })
  })

  test("[F73] a file that no longer validates is refused with its diagnostics", async () => {
    const { staging, catalog, write } = await begun(house)
    await write("flows/f.yaml", flow("f", step("x", "keeper")))
    await catalog.remove("agent", "keeper")
    expect(await staging.accept(A, { run: A })).toMatchObject({
      ok: false,
      code: "invalid",
      diagnostics: { "flows/f.yaml": [{ code: "FV-AGENT" }] },
    })
    expect((await staging.look(A))?.files[0]?.diagnostics).toMatchObject([{ code: "FV-AGENT" }])
    expect(await catalog.read("flow", "f")).toBeUndefined()
  })

  test("[F73] a flow broken later by an agent of the same session is detected", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a", "tools: read\noutputs: [{ name: title, type: string }]\n"))
    await write("flows/f.yaml", flow("f", step("x", "a") + step("y", "a", ', blockedBy: x, task: "${{result.x.title}}"')))
    expect((await write("agents/a.md", agent("a"))).written).toBe(true)
    expect((await staging.look(A))?.files.map((f) => f.diagnostics.map((d) => d.code))).toEqual([[], ["FV-REF-FIELD"]])
    expect(await staging.accept(A, { run: A })).toMatchObject({ code: "invalid" })
  })

  test("[F73] only the seen state is accepted: not another tag, another run or an empty session", async () => {
    const { staging, write } = await begun()
    expect(await staging.accept(A, { run: A })).toEqual({ ok: false, code: "nothing" })
    await write("agents/a.md", agent("a"))
    const tag = (await staging.look(A))?.tag ?? ""
    await write("agents/b.md", agent("b"))
    expect(await staging.accept(A, { run: A, ifMatch: tag })).toMatchObject({ ok: false, code: "stale" })
    expect(await staging.accept(A, { run: B, ifMatch: "*" })).toEqual({ ok: false, code: "other_run" })
    expect(await staging.accept(B, { run: B })).toEqual({ ok: false, code: "not_found" })
  })

  test("[F71] a concurrent accept and catalog write run one after the other, and neither is lost", async () => {
    const { staging, catalog } = await changing()
    await staging.write(A, A, "flow", "flows/house.yaml", swept)
    const theirs = flow("house", step("x", "keeper", ", task: theirs"))
    const hash = (await catalog.read("flow", "house"))?.hash
    const [put, accepted] = await Promise.all([catalog.put("flow", "flows/house.yaml", theirs, hash), staging.accept(A, { run: A })])
    expect([put, accepted]).toMatchObject([{ written: true }, { ok: false, code: "moved" }])
    expect(await catalog.read("flow", "house")).toMatchObject({ content: theirs })
  })
})

describe("sessions", () => {
  test("[F73] two sessions do not see each other; the first accepted one wins", async () => {
    const { staging } = await changing()
    await staging.open({ id: B, task: "paint", flow: "house" })
    await staging.write(A, A, "flow", "flows/house.yaml", swept)
    await staging.write(A, A, "agent", "agents/sweeper.md", agent("sweeper"))
    expect(names(await staging.agents(B))).not.toContain("sweeper")
    await staging.write(B, B, "flow", "flows/house.yaml", flow("house", step("x", "keeper", ", task: paint")))
    expect(await staging.accept(A, { run: A })).toMatchObject({ ok: true })
    expect(await staging.accept(B, { run: B })).toMatchObject({ ok: false, code: "moved" })
  })

  test("[F34] a discarded session keeps nothing and is never accepted; discarding again is harmless", async () => {
    const { staging, sessions, write } = await begun()
    await write("agents/a.md", agent("a"))
    expect([await staging.discard(A), await staging.discard(A), await staging.discard(B)]).toEqual(["ok", "ok", "not_found"])
    expect([await staging.accept(A, { run: A }), sessions.files(A)]).toEqual([{ ok: false, code: "discarded" }, []])
    expect(await staging.revise(A, { run: A, next: B, notes: "n", fresh: false })).toEqual({ ok: false, code: "discarded" })
    expect(names(await staging.agents(A))).not.toContain("a")
  })

  test("[F72] an accepted session cannot be discarded", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    await staging.accept(A, { run: A })
    expect(await staging.discard(A)).toBe("accepted")
    expect((await staging.look(A))?.files).toHaveLength(1)
  })

  test("[H4] an id opens one session, for one request", async () => {
    const { staging, write } = await begun()
    await write("agents/a.md", agent("a"))
    expect(await staging.open({ id: A, task: "make it" })).toEqual({ ok: true, task: "make it" })
    expect((await staging.look(A))?.files).toHaveLength(1)
    expect(await staging.open({ id: A, task: "another" })).toEqual({ ok: false, code: "taken" })
  })

  test("[H6] 100 may be open; 30 days after its last change a session is forgotten", async () => {
    const { staging, clock, sessions } = await studio()
    for (let i = 0; i < MAX_SESSIONS; i++)
      expect((await staging.open({ id: `run_${String(i).padStart(26, "0")}`, task: "t" })).ok).toBe(true)
    expect(await staging.open({ id: A, task: "t" })).toEqual({ ok: false, code: "too_many" })
    expect((await staging.open({ id: `run_${"5".padStart(26, "0")}`, task: "t" })).ok).toBe(true)
    const one = `run_${"0".padStart(26, "0")}`
    clock.now += 29 * DAY
    await staging.write(one, one, "agent", "agents/a.md", agent("a"))
    clock.now += 2 * DAY
    expect([(await staging.look(one))?.files.length, await staging.look(`run_${"1".padStart(26, "0")}`)]).toEqual([1, undefined])
    expect((await staging.open({ id: A, task: "t" })).ok).toBe(true)
    expect(sessions.open()).toBe(2)
    const page = staging.list({ limit: 10 })
    expect("data" in page && page.data.map((row) => [row.id, row.files])).toEqual([
      [A, 0],
      [one, 1],
    ])
  })

  test("[H5] newest first, page by page", async () => {
    const { staging, clock } = await studio()
    for (const id of [A, B, C]) {
      await staging.open({ id, task: "t" })
      clock.now += id === A ? 0 : 1
    }
    const first = staging.list({ limit: 2 })
    if (!("data" in first)) throw new Error("bad cursor")
    expect(first.data.map((row) => row.id)).toEqual([C, B])
    const rest = staging.list({ limit: 2, cursor: first.next_cursor ?? "" })
    expect("data" in rest && [rest.data.map((row) => row.id), rest.next_cursor]).toEqual([[A], null])
    for (const cursor of ["x", "1.x", `${A}`, ""]) expect(staging.list({ limit: 2, cursor })).toEqual({ badCursor: true })
  })
})

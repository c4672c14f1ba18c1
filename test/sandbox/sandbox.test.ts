// Commands in a bound sandbox, through the whole Worker: the binding leads to an object in another Worker, and its commands are real
// processes on the machine that runs the tests.

import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RunContainers } from "../../src/cloudflare/sandbox/containers.ts"
import type { RunEvent } from "../../src/core/run/event.ts"
import { ask, call, ended, eventsOf, flow, start, stub, until } from "../support/worker/house.ts"

const agent = (name: string, tools: string, head = "effects: { after_untrusted: allow }\n"): string =>
  `---\nname: ${name}\ndescription: ${name}\nmodel: rehearsal/default\ntools: ${tools}\n${head}---\nDo it. \${{task}}\n`
const calls = (...list: readonly (readonly [string, object])[]): string =>
  `steps:\n  a:\n${list.map(([tool, args]) => `    - calls: [{ tool: ${tool}, args: ${JSON.stringify(args)} }]\n`).join("")}    - finish: { status: complete, summary: done }\n`
const STEP = "  - { id: a, type: agent, agent: shell }\n"
const HELD = `${STEP}  - { id: w, type: wait, signal: go, blockedBy: a }\n`

async function host<T>(method: "running" | "names" | "clear"): Promise<T> {
  const answer = await env.SANDBOX_HOST.fetch("http://host/", { method: "POST", body: JSON.stringify({ id: "", method, args: [] }) })
  return (await answer.json<{ value: T }>()).value
}
const running = (): Promise<string[]> => host<string[]>("running")
async function soon<T>(look: () => Promise<T>, right: (seen: T) => boolean): Promise<T> {
  for (let i = 0; ; i++) {
    const seen = await look()
    if (right(seen)) return seen
    if (i > 2_000) throw new Error(`it does not come: ${JSON.stringify(seen)}`)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
const answers = async (run: string): Promise<string[]> =>
  (await eventsOf(run)).flatMap((e: RunEvent) =>
    e.type === "tool.returned"
      ? [(e.isError ? "ERROR " : "") + e.content.map((part) => (part.type === "text" ? part.text : "")).join("")]
      : [],
  )
const questions = async (run: string): Promise<unknown[]> => (await ask<{ data: unknown[] }>("GET", `/v1/runs/${run}/interactions`)).data
const file = async (run: string, path: string): Promise<string> => (await call("GET", `/v1/runs/${run}/files/${path}`)).text()

beforeAll(async () => {
  await ask("PUT", "/v1/catalog", {
    agents: {
      "shell.md": agent("shell", "bash, process.start, process.list, write"),
      "careful.md": agent("careful", "bash", ""),
    },
    flows: {
      "once.yaml": flow("once", STEP),
      "once.rehearsal.yaml": calls(
        ["write", { path: "in.txt", content: "from the workspace\n" }],
        [
          "bash",
          {
            command:
              "uname -s; cat in.txt; mkdir out; tr a-z A-Z < in.txt > out/up.txt; env | grep -ci -e vault -e sl_ ; echo $BASH_VERSION | cut -c1",
          },
        ],
      ),
      "held.yaml": flow("held", HELD),
      "held.rehearsal.yaml": calls(["process.start", { command: "trap '' TERM; sleep 4321" }], ["process.list", {}]),
      "again.yaml": flow("again", STEP),
      "again.rehearsal.yaml": calls([
        "bash",
        { command: "echo once >> count; until [ -e /tmp/.sluice/go ]; do sleep 0.05; done; echo went on" },
      ]),
      "careful.yaml": flow("careful", "  - { id: a, type: agent, agent: careful }\n"),
      "careful.rehearsal.yaml": calls(["bash", { command: "echo first" }], ["bash", { command: "echo second" }]),
    },
  })
})

afterAll(() => host("clear"))

describe("a bound sandbox", () => {
  test("[T20] bash is a real shell over the run's files, and ends with the run", async () => {
    const run = await start("once")
    await until(run, ended)
    const [, said = ""] = await answers(run)
    expect(said).toContain("Linux\nfrom the workspace\n0\n5")
    expect(said).toMatch(/^<untrusted id="[0-9a-f]+" source="bash">/)
    expect(await file(run, "out/up.txt")).toBe("FROM THE WORKSPACE\n")
    await soon(
      () => host<string[]>("names"),
      (names) => names.length === 0,
    )
  })

  test("[T20] outside a run each call gets its own sandbox, over the workspace it names", async () => {
    const said = await ask<{ content: { text: string }[] }>("POST", "/v1/tools/shell.exec?workspace=w1", {
      command: "uname -s; echo kept > k.txt; sleep 999 &",
    })
    expect(said.content[0]?.text).toBe("Linux")
    expect(
      (await ask<{ content: { text: string }[] }>("POST", "/v1/tools/bash?workspace=w1", { command: "cat k.txt" })).content[0]?.text,
    ).toBe("kept")
    await soon(
      async () => [...(await host<string[]>("names")), ...(await running())],
      (left) => left.length === 0,
    )
    expect((await call("POST", "/v1/tools/process.start", { command: "true" })).status).toBe(404)
  })

  test("[T20] the list includes process.*, for agents", async () => {
    const { data } = await ask<{ data: { name: string; available: boolean; reason?: string; untrusted?: boolean }[] }>(
      "GET",
      "/v1/tools?explain=1&limit=200",
    )
    for (const name of ["start", "status", "output", "kill", "list"])
      expect(data.find((row) => row.name === `process.${name}`)).toMatchObject({ available: false, reason: "only in an agent's session" })
    expect(data.find((row) => row.name === "bash")).toMatchObject({ available: true, untrusted: true })
  })

  test.each(["cancel", "delete", "end"])("[T20] processes still running are killed when the run is over: %s", async (way) => {
    const run = await start("held")
    await until(run, (r) => r.status === "waiting")
    expect((await answers(run))[1]).toMatch(/proc-[0-9a-f]{24} {2}running {2}trap '' TERM; sleep 4321/)
    await soon(running, (all) => all.includes("sleep 4321"))
    if (way === "cancel") await ask("POST", `/v1/runs/${run}/cancel`, {})
    else if (way === "end") await ask("POST", `/v1/runs/${run}/signals/go`, {})
    else expect((await call("DELETE", `/v1/runs/${run}`)).status).toBeLessThan(300)
    await soon(running, (all) => all.length === 0)
    await soon(
      () => host<string[]>("names"),
      (names) => names.length === 0,
    )
  })

  test("[N3] reading a run while it and its sandbox are being deleted does not restore it", async () => {
    const run = await start("held")
    await until(run, (r) => r.status === "waiting")
    const gone = stub(run).erase()
    for (let looked = 0; looked < 20; looked++) await call("GET", `/v1/runs/${run}`)
    await gone
    expect((await call("GET", `/v1/runs/${run}`)).status).toBe(404)
    expect((await call("POST", `/v1/runs/${run}/signals/go`, {})).status).toBe(404)
  })

  test("[J11] the Worker goes down while a command runs: the same command is awaited afterwards", async () => {
    const run = await start("again")
    await soon(running, (all) => all.some((command) => command.includes("sleep 0.05")))
    await abortAllDurableObjects()
    await ask("GET", `/v1/runs/${run}`)
    await runInDurableObject(stub(run), async (_, ctx) => {
      const [name = ""] = Array.from(ctx.storage.kv.list({ prefix: "sandbox/" }), ([key]) => key.slice("sandbox/".length))
      await env.SANDBOX?.get(env.SANDBOX.idFromName(name)).writeFile("/tmp/.sluice/go", btoa("!"), { encoding: "base64" })
    })
    await until(run, ended)
    expect((await answers(run)).at(-1)).toContain("went on")
    expect(await file(run, "count")).toBe("once\n")
  })

  test("[G11] with a network a second command waits for a person, unless the agent says otherwise", async () => {
    const run = await start("careful")
    await until(run, (r) => r.status === "waiting")
    expect(await questions(run)).toMatchObject([{ kind: "approval.tool", payload: { tool: "bash" } }])
    expect(await answers(run)).toHaveLength(1)
    await ask("POST", `/v1/runs/${run}/cancel`, {})
  })

  test("[N1] a process of one tenant's run is invisible to others, and survives a restart of its object", async () => {
    const place = (tenant: string, run: string) => env.RUN.get(env.RUN.idFromName(`${tenant}/${run}`))
    const pid = await runInDurableObject(place("one", "r"), async (_, ctx) => {
      const exec = new RunContainers(env, ctx.storage.kv).open("one", "r", "[]", "k")
      return (await exec?.start("proc-x", "echo mine; sleep 4322", { folder: "" }))?.id
    })
    expect(pid).toBe("proc-x")
    for (const [tenant, run] of [
      ["two", "r"],
      ["one", "s"],
    ] as const)
      expect(
        await runInDurableObject(place(tenant, run), async (_, ctx) =>
          new RunContainers(env, ctx.storage.kv).open(tenant, run, "[]", "k")?.look("proc-x"),
        ),
      ).toBe(undefined)
    await evictDurableObject(place("one", "r"))
    const later = await runInDurableObject(place("one", "r"), async (_, ctx) => {
      const containers = new RunContainers(env, ctx.storage.kv)
      const exec = containers.open("one", "r", "[]", "k2")
      const output = await soon(
        async () => new TextDecoder().decode(await exec?.output("proc-x", "stdout", 0, 100)),
        (text) => text !== "",
      )
      const state = await exec?.look("proc-x")
      await containers.destroy("one")
      return [state?.running, output]
    })
    expect(later).toEqual([true, "mine\n"])
    await soon(running, (all) => all.length === 0)
    for (const [tenant, run] of [
      ["two", "r"],
      ["one", "s"],
    ] as const)
      await runInDurableObject(place(tenant, run), async (_, ctx) => new RunContainers(env, ctx.storage.kv).destroy(tenant))
  })
})

describe("policy", () => {
  const rules = async (policy: object): Promise<void> => void (await ask("PUT", "/v1/settings/policy", policy))

  test("[D12] a tenant that denies group:runtime has no shell and no processes", async () => {
    await rules({ tools: { deny: ["group:runtime"] } })
    const { data } = await ask<{ data: { name: string; granted: boolean; rule: string }[] }>("GET", "/v1/agents/shell/tools")
    for (const name of ["bash", "process.start", "process.list"])
      expect(data.find((row) => row.name === name)).toMatchObject({ granted: false, rule: "deny group:runtime" })
    await rules({ tools: { deny: [] } })
  })

  test("[D22] at the level conservative a person is asked before a process starts", async () => {
    await rules({ autonomy: "conservative" })
    const run = await start("held")
    await until(run, (r) => r.status === "waiting")
    expect(await questions(run)).toMatchObject([{ kind: "approval.tool", payload: { tool: "process.start" } }])
    await ask("POST", `/v1/runs/${run}/cancel`, {})
    await rules({ autonomy: "standard" })
    await soon(running, (all) => all.length === 0)
  })
})

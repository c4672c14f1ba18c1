// browser.* in runs of the built Worker in workerd, over the API, with the local server's Chromium behind its proxy.

import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { buildWorker } from "../../local/build.ts"
import { startServer, type Server } from "../../local/server.ts"
import { LOCAL_KEY, readSettings } from "../../local/settings.ts"
import { Sluice } from "../../src/client/sluice.ts"
import { runChecks, until, type Check } from "./checks.ts"
import type { Site } from "./site.ts"

interface Event {
  readonly seq: number
  readonly type: string
  readonly [member: string]: unknown
}
type Call = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }

const TOOLS = ["navigate", "click", "type", "content", "screenshot", "eval"].map((name) => `browser.${name}`)
const AGENT = (effects: string): string =>
  `---\nname: visitor\ndescription: Looks at pages.\ntools: [${TOOLS.join(", ")}]\n${effects}---\nLook at the page.\n\n\${{task}}\n`
const FLOW = "name: visit\ndescription: A visit\nsteps:\n  - { id: look, type: agent, agent: visitor }\n"
const FREE = "effects: { after_untrusted: allow }\n"

export async function runInRuns(
  chromium: string,
  site: Site,
  wanted: (check: Check) => boolean,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const data = await mkdtemp(path.join(tmpdir(), "sluice-browser-runs-"))
  const worker = await buildWorker("src/index.ts", "dist/browser-worker.js")
  const env = { ...process.env, HOST: "", PORT: "0", CHROMIUM: chromium, ALLOWED_PRIVATE_HOSTS: site.host }
  let server: Server | undefined
  const serve = async (browser: "0" | "1"): Promise<Sluice> => {
    await server?.close()
    server = await startServer(readSettings({ ...env, SLUICE_DATA: path.join(data, `with-${browser}`), SLUICE_BROWSER: browser }), worker)
    return new Sluice({ url: server.url, key: LOCAL_KEY })
  }
  const raw = async (route: string, init: RequestInit = {}): Promise<unknown> => {
    const headers = { authorization: `Bearer ${LOCAL_KEY}`, "content-type": "application/json" }
    const answer = await fetch(`${server?.url}${route}`, { ...init, headers })
    assert.ok(answer.ok, `${route}: ${answer.status} ${await answer.clone().text()}`)
    return answer.headers.get("content-type")?.includes("json") ? answer.json() : new Uint8Array(await answer.arrayBuffer())
  }

  /** One run whose model makes these calls, one turn each, and finishes. */
  async function visit(api: Sluice, calls: readonly (Call | readonly Call[])[], effects = FREE): Promise<{ id: string; events: Event[] }> {
    const turns = [
      ...calls.map((turn) => ({ calls: Array.isArray(turn) ? turn : [turn] })),
      { finish: { status: "complete", summary: "seen" } },
    ]
    await api.catalog.replace({
      agents: { "visitor.md": AGENT(effects) },
      flows: { "visit.yaml": FLOW, "visit.rehearsal.yaml": JSON.stringify({ steps: { look: turns } }) },
    })
    const { id } = await api.flows.start("visit", { rehearse: true, task: "go" })
    return { id, events: await settled(id) }
  }
  /** Its events, once it is over or waits. */
  async function settled(id: string): Promise<Event[]> {
    for (let tries = 0; tries < 1_800; tries++) {
      const { status } = (await raw(`/v1/runs/${id}`)) as { status: string }
      if (["succeeded", "failed", "canceled", "waiting"].includes(status)) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return ((await raw(`/v1/runs/${id}/events?limit=1000`)) as { data: Event[] }).data
  }
  const results = (events: readonly Event[]): string[] =>
    events.filter((e) => e.type === "tool.returned").map((e) => `${e["isError"] === true ? "ERROR " : ""}${JSON.stringify(e["content"])}`)
  const check = (name: string, run: () => Promise<void>): Check => ({
    name,
    async run() {
      site.hits.length = 0
      await run()
      assert.deepEqual(site.hits, [])
    },
  })
  const go = (url: string): Call => ({ tool: "browser.navigate", args: { url } })
  let api = await serve("1")

  const checks: readonly Check[] = [
    check("[T25] a run opens a page, types, clicks, reads and takes a picture; the PNG is a file of the run", async () => {
      const { id, events } = await visit(api, [
        go(site.url),
        { tool: "browser.content", args: { as: "controls" } },
        { tool: "browser.type", args: { label: "Your name", text: "Ada", page: site.url } },
        { tool: "browser.click", args: { label: "Order now", page: site.url } },
        { tool: "browser.content", args: {} },
        { tool: "browser.screenshot", args: {} },
        { tool: "browser.screenshot", args: { full: true, path: "pictures/end.png" } },
      ])
      const said = results(events)
      assert.equal(said.filter((s) => s.startsWith("ERROR")).length, 0, said.join("\n"))
      assert.match(said[0] ?? "", /Title: The shop/)
      assert.match(said[1] ?? "", /input\[name=/)
      assert.match(said[3] ?? "", /Title: Ordered/)
      assert.match(said[4] ?? "", /# Thank you.*who=Ada/)
      assert.match(said[5] ?? "", /Written: screenshots\/page-1\.png/)
      for (const file of ["screenshots/page-1.png", "pictures/end.png"]) {
        const png = Buffer.from((await raw(`/v1/runs/${id}/files/${file}`)) as Uint8Array)
        assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n", file)
      }
      const files = ((await raw(`/v1/runs/${id}/files`)) as { data: { path: string; tainted?: boolean }[] }).data
      assert.ok(files.every((file) => file.tainted === true))
    }),
    check("[G11, T25] what a page says stands between delimiters that it cannot close, and taints the session", async () => {
      const { events } = await visit(api, [go(`${site.url}/injected`), { tool: "browser.content", args: { as: "text" } }], "")
      const [opened = "", read = ""] = results(events)
      for (const said of [opened, read]) {
        const id = /<untrusted id=\\"(\w+)\\" source=\\"http:\/\/127/.exec(said)?.[1]
        assert.ok(id !== undefined, said)
        assert.equal(said.split(`</untrusted id=\\"${id}\\">`).length, 2)
      }
      assert.match(read, /&lt;\/untrusted/)
      assert.ok(events.some((e) => e.type === "tool.returned" && e["tainted"] === true))
    }),
    check("[G11, T25] in a tainted session a click waits for a person, and nothing is clicked before", async () => {
      site.seen.length = 0
      const { id, events } = await visit(api, [go(site.url), { tool: "browser.click", args: { label: "Next page", page: site.url } }], "")
      assert.ok(events.some((e) => e.type === "interaction.asked"))
      assert.equal(site.seen.filter((line) => line.includes("/next")).length, 0)
      await api.runs.cancel(id)
    }),
    check("[T21, T25] hostile redirects and pages of a run come to nobody", async () => {
      const { events } = await visit(api, [
        ...[301, 302, 303, 307, 308].map((status) => go(`${site.url}/${status}`)),
        go("http://localhost:1/"),
        go("http://169.254.169.254/"),
        go(`${site.url}/hostile`),
        go(`${site.url}/speculates`),
        { tool: "browser.content", args: {} },
      ])
      const said = results(events)
      for (const refusal of said.slice(0, 7)) assert.match(refusal, /^ERROR .*address refused: /)
      assert.match(said[7] ?? "", /Title: Tried/)
      // What the gate does not see, the proxy does.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }),
    check("[T25] browser.eval is off, and there when the policy allows it by name", async () => {
      // A word that no port and no random id of a delimiter can hold.
      const answer = "six times seven is 42"
      const script = { tool: "browser.eval", args: { script: "`six times seven is ${6 * 7}`", page: site.url } }
      await raw("/v1/settings/policy", { method: "PUT", body: JSON.stringify({ tools: { allow: ["browser.*", "group:web"] } }) })
      const off = await visit(api, [go(site.url), script])
      assert.equal(
        results(off.events).some((s) => s.includes(answer)),
        false,
      )
      assert.ok(off.events.some((e) => e.type === "tool.refused"))
      await raw("/v1/settings/policy", { method: "PUT", body: JSON.stringify({ tools: { allow: ["browser.eval"] } }) })
      await new Promise((resolve) => setTimeout(resolve, 5_500))
      const on = await visit(api, [go(site.url), script])
      assert.ok(results(on.events)[1]?.includes(answer), results(on.events).join("\n"))
      await raw("/v1/settings/policy", { method: "PUT", body: "{}" })
    }),
    check("[T25] without a page a call says to open one; calls of one turn keep their order", async () => {
      const alone = await visit(api, [{ tool: "browser.content", args: {} }])
      assert.match(results(alone.events)[0] ?? "", /^ERROR .*no page is open in this session: call browser\.navigate first/)
      const both = await visit(api, [[go(site.url), { tool: "browser.content", args: { as: "text" } }]])
      assert.match(results(both.events).join(), /Welcome/)
    }),
    check(
      "[J10, T25] after a restart the page is gone: the call that goes on says so and does nothing; opened again, it is there",
      async () => {
        const calls = [
          go(site.url),
          { tool: "browser.click", args: { label: "Next page" } },
          go(site.url),
          { tool: "browser.content", args: {} },
        ]
        const { id, events } = await visit(api, calls, "")
        const asked = events.find((e) => e.type === "interaction.asked")
        site.seen.length = 0
        api = await serve("1")
        await api.interactions.answer(id, String(asked?.["id"]), { decision: "approve" })
        const said = results(await settled(id))
        assert.match(
          said[1] ?? "",
          /^ERROR .*no page is open in this session: call browser\.navigate first\. A page does not outlive a restart/,
        )
        assert.match(said[3] ?? "", /# Welcome/)
        assert.deepEqual(
          site.seen.filter((line) => line.includes("/next")),
          [],
        )
      },
    ),
    check("[T25] a browser ends with its session's end and with its run's cancel", async () => {
      const open = async (): Promise<number> => server?.browsers() ?? -1
      await visit(api, [go(site.url)])
      await until(async () => (await open()) === 0)
      const { id } = await visit(api, [go(site.url), { tool: "browser.click", args: { label: "Next page" } }], "")
      assert.equal(await open(), 1)
      await api.runs.cancel(id)
      await until(async () => (await open()) === 0)
    }),
    check("[T25] the tools are for agents, and the list says so; without the binding they are absent, with the reason", async () => {
      const list = async (query: string): Promise<{ name: string; available: boolean; reason?: string }[]> =>
        ((await raw(`/v1/tools${query}`)) as { data: { name: string; available: boolean; reason?: string }[] }).data.filter(({ name }) =>
          name.startsWith("browser."),
        )
      assert.deepEqual((await list("")).map(({ name }) => name).sort(), [...TOOLS].sort())
      assert.match((await list("?explain=1"))[0]?.reason ?? "", /only in an agent's session/)
      api = await serve("0")
      assert.deepEqual(await list(""), [])
      const absent = await list("?explain=1")
      assert.deepEqual(absent.map(({ name }) => name).sort(), [...TOOLS].sort())
      for (const { available, reason } of absent) assert.ok(!available && reason?.includes("Browser Rendering binding"), reason)
      const { events } = await visit(api, [go(site.url)])
      assert.deepEqual(results(events), [])
      assert.ok(events.some((e) => e.type === "tool.refused"))
    }),
  ]
  try {
    return await runChecks(checks.filter(wanted))
  } finally {
    await server?.close()
    await rm(data, { recursive: true, force: true })
  }
}

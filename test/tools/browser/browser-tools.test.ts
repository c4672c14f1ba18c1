// The browser.* tools over a page that answers what a test sets: what the tools request, and how they describe it.

import { describe, expect, test } from "vitest"
import { goingOut, isWrite } from "../../../src/core/tool/reach.ts"
import { verdictOf } from "../../../src/core/tool/policy/resolve.ts"
import { DEFAULT_POLICY } from "../../../src/core/tool/policy/policy.ts"
import { missingTools, shippedTools } from "../../../src/cloudflare/capabilities/missing-tools.ts"
import { systemFacts } from "../../../src/cloudflare/capabilities/system-facts.ts"
import { PageWatch } from "../../../src/engine/browser/page-watch.ts"
import type { Browser, PageSeen } from "../../../src/ports/browser.ts"
import { SPECS } from "../../../src/tools/toolbox.ts"
import { said, ToolBench } from "../../support/engine/tool-bench.ts"

const SEEN: PageSeen = { url: "https://e.com/a", title: "A page", notes: [] }
const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47])

function bench(over: Partial<Browser> = {}): { tools: ToolBench; asked: unknown[] } {
  const asked: unknown[] = []
  const note =
    <T>(what: string, answer: T) =>
    async (...args: unknown[]): Promise<T> => {
      asked.push([what, ...args.filter((arg) => !(arg instanceof AbortSignal))])
      return answer
    }
  const browser: Browser = {
    navigate: note("navigate", { ...SEEN, status: 200 }),
    click: note("click", SEEN),
    type: note("type", SEEN),
    content: note("content", { ...SEEN, body: "<main><h1>Title</h1><script>no()</script><a href='b'>go</a></main>", cut: false }),
    screenshot: note("screenshot", { ...SEEN, png: PNG }),
    evaluate: note("evaluate", { ...SEEN, value: "42" }),
    ...over,
  }
  return { tools: new ToolBench({ browser }), asked }
}

const NAMES = ["navigate", "click", "type", "content", "screenshot", "eval"].map((name) => `browser.${name}`)

describe("browser tools", () => {
  test("[G11, T25] all text from a page is text from outside, from the page's own address", async () => {
    const { tools } = bench()
    const calls: readonly [string, object][] = [
      ["browser.navigate", { url: "https://e.com/" }],
      ["browser.click", { selector: "#a" }],
      ["browser.type", { label: "Name", text: "x" }],
      ["browser.content", {}],
      ["browser.screenshot", {}],
      ["browser.eval", { script: "1" }],
    ]
    for (const [name, args] of calls) {
      const done = await tools.call(name, { ...args })
      expect(done, name).toMatchObject({ isError: false, untrusted: true })
      expect(said(done), name).toMatch(/^<untrusted id="0badcafe" source="https:\/\/e\.com\/a">\nPage: https:\/\/e\.com\/a\nTitle: A page/)
    }
  })

  test("[T25] a status of 400 or more and page errors are reported", async () => {
    const { tools } = bench({ navigate: async () => ({ ...SEEN, status: 404, notes: ["refused: http://10.0.0.1/ (private)"] }) })
    const done = await tools.call("browser.navigate", { url: "https://e.com/a" })
    expect(said(done)).toContain("Page: https://e.com/a (status 404)\nTitle: A page\nNote: refused: http://10.0.0.1/ (private)")
    expect(done.details).toMatchObject({ status: 404, url: "https://e.com/a" })
  })

  test("[T25] the page is read as Markdown, text, HTML or a list of its controls", async () => {
    const { tools, asked } = bench()
    expect(said(await tools.call("browser.content", {}))).toContain("\n\n# Title\n\n[go](https://e.com/b)\n")
    expect(said(await tools.call("browser.content", { as: "html", selector: "main" }))).toContain("<main><h1>Title</h1><script>")
    await tools.call("browser.content", { as: "text" })
    await tools.call("browser.content", { as: "controls" })
    expect(asked).toEqual([
      ["content", "html", undefined],
      ["content", "html", "main"],
      ["content", "text", undefined],
      ["content", "controls", undefined],
    ])
  })

  test("[T5, T25] a long page keeps its beginning, and a page not read to its end says so", async () => {
    const body = Array.from({ length: 5_000 }, (_, i) => `<p>line ${i}</p>`).join("")
    const { tools } = bench({ content: async () => ({ ...SEEN, body, cut: true }) })
    const done = await tools.call("browser.content", {})
    expect(done.truncated).toMatchObject({ kept: "head", handle: "kept-1" })
    expect(said(done)).toContain("line 0\n")
    expect(said(done)).not.toContain("line 4999")
    const short = bench({ content: async () => ({ ...SEEN, body: "words", cut: true }) })
    expect(said(await short.tools.call("browser.content", { as: "text" }))).toContain(
      "[truncated: the first 5 characters of the page were read]",
    )
  })

  test("[T25] a page's title, its notes and the lines of its controls are shown to a length", async () => {
    const long = `${"long ".repeat(400)}END`
    const seen = { ...SEEN, title: long, notes: [long] }
    const { tools } = bench({ content: async () => ({ ...seen, body: `a: button ${long}\nb: link`, cut: false }) })
    const text = said(await tools.call("browser.content", { as: "controls" }))
    expect(text).not.toContain("END")
    expect(text).toContain("b: link")
    const lengths = text.split("\n").map((line) => line.length)
    expect(Math.max(...lengths)).toBeLessThan(1_100)
    expect(text.split("\n").find((line) => line.startsWith("Title:"))?.length).toBeLessThan(600)
  })

  test("[T25] a note of megabytes is left out, and its size told", () => {
    const watch = new PageWatch({} as never, () => undefined)
    watch.note("x".repeat(70_000))
    watch.note("short")
    expect(watch.notes()).toEqual(["a message of the page, of 70000 characters, is left out", "short"])
  })

  test("[T25] a picture is a file in the workspace, each with its own name", async () => {
    const { tools } = bench()
    expect(said(await tools.call("browser.screenshot", {}))).toContain("Written: screenshots/page-1.png (4 bytes)")
    const second = await tools.call("browser.screenshot", { full: true })
    expect(second.details).toMatchObject({ path: "screenshots/page-2.png", bytes: 4 })
    expect(tools.index.stat("screenshots/page-2.png")?.size).toBe(4)
    await tools.call("browser.screenshot", { path: "/pictures/a.PNG" })
    expect(tools.index.stat("pictures/a.PNG")?.size).toBe(4)
    expect(said(await tools.call("browser.screenshot", { path: "a.html" }))).toContain("ERROR")
    expect(said(await tools.call("browser.screenshot", { path: "../a.png" }))).toContain("ERROR")
  })

  test("[G7, T25] no picture is taken for a path that the agent may not write, or kept beyond the file size limit", async () => {
    const asked: boolean[] = []
    const browser = { screenshot: async (whole: boolean) => (asked.push(whole), { ...SEEN, png: new Uint8Array(10 * 1024 * 1024 + 1) }) }
    const fenced = new ToolBench({ browser: browser as unknown as Browser }, { write: ["out/**"] })
    expect(said(await fenced.call("browser.screenshot", { path: "in/a.png" }))).toContain("may not write in/a.png")
    expect(asked).toEqual([])
    expect(said(await fenced.call("browser.screenshot", { path: "out/a.png" }))).toMatch(
      /ERROR .*10485761 bytes and a file at most 10485760/s,
    )
    expect(fenced.index.list("")).toEqual([])
  })

  test("[T25] clicks and typing name their target by selector or label", async () => {
    const { tools, asked } = bench()
    await tools.call("browser.click", { label: "Buy", page: "https://e.com/" })
    await tools.call("browser.type", { selector: "#q", text: "tea", submit: true })
    expect(asked).toEqual([
      ["click", { label: "Buy", page: "https://e.com/" }],
      ["type", { selector: "#q", text: "tea", append: false, submit: true }],
    ])
    expect(said(await tools.call("browser.click", {}))).toContain("ERROR")
  })

  test("[T25] without a browser a call is an error, never a success", async () => {
    const done = await new ToolBench().call("browser.navigate", { url: "https://e.com/" })
    expect(said(done)).toMatch(/ERROR .*Browser Rendering is bound/s)
  })

  test("[G11, T25] opening goes out to its address; clicking, typing and scripts go out and write", () => {
    const out = (name: string, args: Record<string, string>) => {
      const tool = SPECS.get(name)
      if (!tool) throw new Error(name)
      return { going: goingOut(tool, args), writes: isWrite(tool, args) }
    }
    expect(out("browser.navigate", { url: "https://e.com/" })).toEqual({
      going: { writes: false, host: "e.com", port: 443 },
      writes: false,
    })
    for (const name of ["browser.click", "browser.type", "browser.eval"]) {
      expect(out(name, { page: "http://e.com/x" })).toEqual({ going: { writes: true, host: "e.com", port: 80 }, writes: true })
      expect(out(name, {})).toEqual({ going: { writes: true, port: 443 }, writes: true })
    }
    for (const name of ["browser.content", "browser.screenshot"]) expect(out(name, {})).toEqual({ going: undefined, writes: false })
  })

  test("[T25, T30] browser.eval is in no profile, group or glob: only its own name allows it, and deny still wins", () => {
    const tool = { name: "browser.eval", groups: ["web"] } as const
    const rule = (tools: object) => verdictOf(tool, { ...DEFAULT_POLICY, tools: { ...DEFAULT_POLICY.tools, ...tools } })
    expect(rule({})).toEqual({ granted: false, rule: "off unless listed in allow" })
    for (const allow of [["*"], ["browser.*"], ["group:web"]]) expect(rule({ profile: "full", allow }).granted).toBe(false)
    expect(rule({ profile: "minimal", allow: ["browser.eval"] })).toEqual({ granted: true, rule: "allow browser.eval" })
    expect(rule({ allow: ["browser.eval"], deny: ["group:web"] })).toEqual({ granted: false, rule: "deny group:web" })
  })

  test("[T25] without the binding they are absent with the reason; with the binding they ship", () => {
    const bound = { BROWSER: {} as Fetcher }
    for (const name of NAMES) {
      expect(SPECS.get(name)?.contexts, name).toEqual(["agent"])
      expect(missingTools({}).get(name), name).toContain("Browser Rendering binding")
      expect(missingTools(bound).has(name), name).toBe(false)
      expect(
        shippedTools({}).some((tool) => tool.name === name),
        name,
      ).toBe(false)
      expect(
        shippedTools(bound).some((tool) => tool.name === name),
        name,
      ).toBe(true)
    }
    expect(missingTools({}).get("browser.eval")).toContain("unless the policy allows browser.eval by name")
  })

  test("[T25] system.info says whether there is a browser", async () => {
    expect(await systemFacts({ ENVIRONMENT: "local" }).info()).toMatchObject({ bound: { browser: false } })
    expect(await systemFacts({ ENVIRONMENT: "local", BROWSER: {} as Fetcher }).info()).toMatchObject({ bound: { browser: true } })
  })
})

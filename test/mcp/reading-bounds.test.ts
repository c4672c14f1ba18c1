// [H12] The bounds of what an MCP client reads, with an API that has more than fits.

import { expect, test } from "vitest"
import { complete } from "../../src/mcp/completions.ts"
import { readResults } from "../../src/mcp/flow-results.ts"
import { listResources, readResource } from "../../src/mcp/resources.ts"
import type { McpCall } from "../../src/ports/services.ts"

const RUNS = Array.from({ length: 300 }, (_, n) => ({
  id: `run_${String(n).padStart(3, "0")}`,
  flow: "f",
  status: "succeeded",
  created: "t",
}))

/** An API with 300 runs of 250 files each. `body` is what any other address answers. */
function tenant(body: unknown = {}) {
  const asked: string[] = []
  const call = {
    caller: { scopes: ["runs:read", "catalog:read"] },
    at: (path: string) => path,
    ask: async (_method: string, path: string) => {
      asked.push(path)
      const limit = Number(/[?&]limit=(\d+)/.exec(path)?.[1] ?? 0)
      if (limit > 0) return Response.json({ data: RUNS.slice(0, limit) })
      return body instanceof Uint8Array ? new Response(new Uint8Array(body)) : Response.json(body)
    },
    tenant: {
      catalog: { files: async () => ({ data: [] }) },
      run: () => ({ files: async () => Array.from({ length: 250 }, (_, n) => ({ path: `${String(n).padStart(3, "0")}.md`, size: 1 })) }),
    },
  } as unknown as McpCall
  return { call, asked }
}

test("[H12] resources: 200 files each of the latest 10 runs", async () => {
  const { call } = tenant()
  const uris: string[] = []
  let cursor: string | undefined
  do {
    const page = await listResources(call, cursor)
    uris.push(...(page?.resources.map(({ uri }) => uri) ?? []))
    cursor = page?.nextCursor
  } while (cursor !== undefined)
  expect([uris.length, new Set(uris).size]).toEqual([2_000, 2_000])
  expect([uris[0], uris.at(-1)]).toEqual(["sluice://runs/run_000/files/000.md", "sluice://runs/run_009/files/199.md"])
  expect(await listResources(call, "%%")).toBeUndefined()
})

test("[H12] a resource over 4 MiB is read over HTTP", async () => {
  const uri = "sluice://runs/run_000/files/a"
  const fits = await readResource(tenant(new Uint8Array(4 * 1024 * 1024)).call, uri)
  expect(fits).toMatchObject({ contents: [{ mimeType: "application/octet-stream", blob: expect.stringMatching(/^AAAA/) }] })
  expect(await readResource(tenant(new Uint8Array(4 * 1024 * 1024 + 1)).call, uri)).toContain("GET /v1/runs/run_000/files/a")
})

test("[H12] a completion has 100 values, of the latest 200 runs", async () => {
  const { call } = tenant()
  const ref = { type: "ref/resource", uri: "sluice://runs/{run}" } as const
  const found = await complete(call, { ref, argument: { name: "run", value: "" } })
  expect([found?.completion.values.length, found?.completion.total, found?.completion.hasMore]).toEqual([100, 200, true])
})

test("[H12] flow_results looks at the latest 50 runs, and answers 10,000 characters of one", async () => {
  const { call } = tenant({ ...RUNS[0], steps: { one: { status: "complete", summary: "x".repeat(20_000) } } })
  expect((await readResults(call, { action: "runs" })).structuredContent).toEqual({ runs: RUNS.slice(0, 50) })
  const [part] = (await readResults(call, { action: "agent", run: "run_000", agent: "one" })).content
  const { text } = part as { text: string }
  expect([text.indexOf("\n["), text.length]).toEqual([expect.any(Number), expect.any(Number)])
  expect(text.slice(10_000)).toMatch(/^\n\[\d+ more characters: /)
})

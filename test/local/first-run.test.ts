// What `npm start` makes on an empty data folder: completed by the next start if it was cut off, never twice, and never beside anybody's runs.

import { describe, expect, test } from "vitest"
import { firstRuns, makeFirstRuns } from "../../local/first-run.ts"
import { FIRST_RUN } from "../../src/client/first-run.ts"
import { Sluice } from "../../src/client/sluice.ts"

interface Row {
  readonly flow: string
  readonly tags: readonly string[]
}

/** A server that knows runs, packages and tools by name; `most`: how many writes it takes before it is killed. */
function stand({ most = Infinity }: { readonly most?: number } = {}) {
  const it = {
    runs: [] as Row[],
    packages: new Map<string, string>(),
    handlers: [] as string[],
    tools: [] as string[],
    keys: new Set<string>(),
    most,
  }
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url)
    const method = init.method ?? "GET"
    const page = (data: unknown): Response => Response.json({ data, next_cursor: null })
    if (method === "GET") return page(pathname === "/v1/runs" ? it.runs : Array.from(it.packages, ([name, version]) => ({ name, version })))
    if (it.most-- <= 0) throw new Error("killed")
    const body = JSON.parse(String(init.body)) as {
      readonly version: string
      readonly tags: readonly string[]
      readonly code: Record<string, string>
    }
    const [, kind, name = ""] = /^\/v1\/(\w+)\/([^/]+)/.exec(decodeURIComponent(pathname)) ?? []
    if (kind === "packages") {
      it.packages.set(name, body.version)
      it.handlers.push(...Object.values(body.code))
    } else if (kind === "tools") it.tools.push(name)
    else {
      const key = new Headers(init.headers).get("idempotency-key") ?? ""
      if (!it.keys.has(key)) it.runs.push({ flow: name, tags: body.tags })
      it.keys.add(key)
    }
    return Response.json({})
  }
  return { it, api: new Sluice({ url: "http://local", key: "k", retries: 0, fetch }) }
}

const start = async (api: Sluice): Promise<boolean> => {
  const missing = await firstRuns(api)
  if (missing) await makeFirstRuns(api, missing)
  return missing !== undefined
}

describe("the first runs", () => {
  test("[H11] an empty folder gets a run of each kind, and the package that mends the first one", async () => {
    const { it, api } = stand()
    expect([...((await firstRuns(api))?.flows ?? [])]).toEqual([FIRST_RUN.failing, FIRST_RUN.asking, FIRST_RUN.ending])
    await start(api)
    expect(it.runs).toEqual([
      { flow: FIRST_RUN.failing, tags: [FIRST_RUN.tag] },
      { flow: FIRST_RUN.asking, tags: [FIRST_RUN.tag] },
    ])
    expect([...it.packages]).toEqual([[FIRST_RUN.package, "2"]])
    expect(it.handlers.map((text) => /\bver:/.test(text))).toEqual([true, false])
  })

  test.each([0, 1, 2, 3, 4, 5])(
    "[H11] a start that is killed after %i writes is completed by the next one, and a third one writes nothing",
    async (most) => {
      const { it, api } = stand({ most })
      await start(api).catch(() => undefined)
      it.most = Infinity
      await start(api)
      expect(it.runs.map(({ flow }) => flow)).toEqual([FIRST_RUN.failing, FIRST_RUN.asking])
      expect(it.packages.get(FIRST_RUN.package)).toBe("2")
      it.most = 0
      expect(await start(api)).toBe(true)
    },
  )

  test("[H11] a folder with any other run is left as it is", async () => {
    const { it, api } = stand({ most: 0 })
    it.runs.push({ flow: "mine", tags: [] }, { flow: FIRST_RUN.failing, tags: [FIRST_RUN.tag] })
    expect(await start(api)).toBe(false)
    it.runs = Array.from({ length: 10 }, () => ({ flow: FIRST_RUN.failing, tags: [FIRST_RUN.tag] }))
    expect(await start(api)).toBe(false)
  })
})

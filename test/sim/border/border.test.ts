// The border has two sides, workerd and the simulator, and both do what the suite says: so the simulator does not lie.

import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { Miniflare } from "miniflare"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { ALONE } from "../../../local/server.ts"
import { AS_SAID, CASES } from "./suite.ts"

const PROBE = fileURLToPath(new URL("probe.ts", import.meta.url))
const SIMULATED = fileURLToPath(new URL("simulated.ts", import.meta.url))
const NUMBERED = CASES.map(({ name }, number) => ({ name, number }))

describe("workerd", () => {
  let server: Miniflare
  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [PROBE],
      bundle: true,
      format: "esm",
      external: ["cloudflare:*", "node:*"],
      write: false,
    })
    server = new Miniflare({
      workers: [
        {
          config: {
            name: "probe",
            compatibilityDate: "2026-07-30",
            compatibilityFlags: ["nodejs_compat"],
            manifest: { mainModule: "probe.js", modules: { "probe.js": { type: "esm", contents: outputFiles[0]?.text ?? "" } } },
            exports: { Probe: { type: "durable-object", storage: "sqlite" } },
            env: { PROBE: { type: "durable-object", worker: "probe", exportName: "Probe" } },
          },
        },
      ],
      ...ALONE,
    })
  })
  afterAll(() => server.dispose())

  test.each(NUMBERED)("$name", async ({ number }) => {
    const answer = await server.dispatchFetch(`http://localhost/${number}`)
    expect(await answer.text()).toBe(AS_SAID)
  })
})

describe("the simulator", () => {
  let told: Readonly<Record<string, string>> = {}
  // It replaces the globals of its process.
  beforeAll(() => {
    told = JSON.parse(execFileSync(process.execPath, [SIMULATED], { encoding: "utf8" })) as typeof told
  })

  test.each(NUMBERED)("$name", ({ name }) => {
    expect(told[name]).toBe(AS_SAID)
  })
})

// What the code of a Worker does between its start and its first answer. bench/cold.ts has the time; this counts, so that it means the same on
// every machine.

import { execFile } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { build, type Plugin } from "esbuild"
import { expect, onTestFinished, test } from "vitest"
import { workerSettings } from "../../local/build.ts"

/** Schemas and checks: 366 on 23 November 2026; 2,117 before there was `later`. What a request needs first is declared with it (src/core/schema). */
const MAX_BUILT = 490

/** Node has no module of the platform; a start needs their classes only as bases. */
const platform: Plugin = {
  name: "platform",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path: name }) => ({ path: name, namespace: "platform" }))
    onLoad({ filter: /.*/, namespace: "platform" }, () => ({
      contents:
        "export class DurableObject {} export class WorkerEntrypoint {} export class RpcTarget {} export const exports = {}, waitUntil = () => {}",
    }))
  },
}

// zod calls its `postProcessor` with each schema and check that it has built. A pattern with the flag `v` may stand for thousands of texts.
const start = (worker: string): string => `
  const built = {}
  globalThis.__zod_globalConfig = { postProcessor: (one) => { const kind = one._zod.def.type ?? "check"; built[kind] = (built[kind] ?? 0) + 1 } }
  let sets = 0
  globalThis.RegExp = new Proxy(RegExp, { construct: (of, args, as) => { if (args[1]?.includes("v")) sets += 1; return Reflect.construct(of, args, as) } })
  const { default: worker } = await import(${JSON.stringify(pathToFileURL(worker))})
  const answer = await worker.fetch(new Request("http://local/healthz"), { ENVIRONMENT: "local", REQUEST_LOG: "off" }, { waitUntil() {} })
  console.log(JSON.stringify({ status: answer.status, built, sets }))
`

test(`a start and its first answer build at most ${MAX_BUILT} schemas and no list of emoji`, { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-start-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const outdir = path.join(folder, "modules")
  const { external, plugins } = workerSettings
  await build({
    ...workerSettings,
    external: external.filter((name) => !name.startsWith("cloudflare")),
    plugins: [platform, ...plugins],
    entryPoints: ["src/index.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    splitting: true,
  })
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", start(path.join(outdir, "index.mjs"))])
  const { status, built, sets } = JSON.parse(stdout) as { status: number; built: Record<string, number>; sets: number }
  expect([status, sets]).toEqual([200, 0])
  expect(built["object"]).toBeGreaterThan(0)
  expect(Object.values(built).reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(MAX_BUILT)
})

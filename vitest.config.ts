// `node` runs what is pure or has memory ports; `worker` and `sandbox` run what must be seen inside workerd; `node-mocked` isolates the
// files that replace a module or load it again. One project alone: `npx vitest run --project node`.
//
// All others share their modules, and in workerd the storage too, with the files that ran before them in the same process: the Worker is
// loaded twice instead of 47 times. So a test makes the tenants, runs and flows it speaks of, and puts back every global it changes.

import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { buildAssets } from "./local/assets.ts"
import { oneModule } from "./test/support/one-module.ts"
import { makeShellLibrary } from "./local/shell-library.ts"
import { SANDBOX_WORKER, sandboxHost } from "./test/sandbox/stand-in.ts"

await Promise.all([makeShellLibrary(), buildAssets()])

// Of the processes that tests start, each has what the one before it compiled: a quarter less CPU for the command line and for wrangler.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(new URL("dist/compile-cache", import.meta.url))

const dispatched: unknown[] = []
async function dispatcher(request: { readonly method: string; json(): Promise<unknown> }): Promise<Response> {
  if (request.method === "GET") return Response.json(dispatched)
  dispatched.push(await request.json())
  return Response.json({ entitiesAffected: 1, summary: "refunded" })
}

/** One module of each library that tests in workerd import, instead of its hundreds. What the Worker imports is in its bundle. */
const BUNDLED = { optimizer: { ssr: { enabled: true, include: ["@modelcontextprotocol/client", "zod"] } } }

/** What tests in workerd see of the environment. */
const IN_WORKER = { env: { WHOLE: process.env["WHOLE"] ?? "" } }

/** They call `vi.mock`, which must come before any other file has imported what it replaces, or load it again. */
const MOCKED = ["test/http/**/openapi.test.ts", "test/**/own-tools.test.ts", "test/**/isolate-caches.test.ts"]
const TESTS = ["test/**/*.test.ts"]
const PACKAGES = ["**/node_modules/**"]
const IN_WORKERD = ["test/worker/**", "test/sandbox/**"]

/** For what hangs and nothing else: a machine that has other things to do takes ten times as long, and no test fails for that. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } } as const

/**
 * Three files at once: long work rests for a third of its time and more, so that others have their turn [N4], and processes and servers are waited
 * for. In workerd two, since each one begins by loading the whole Worker. Within a group vitest sorts the files by project and takes them from one
 * queue, so that a process goes on to the next project while the others still work on the last.
 */
const IN_NODE = { maxWorkers: 3, sequence: { groupOrder: 0 } } as const
const AFTERWARDS = { sequence: { groupOrder: 1 } } as const

/**
 * Node imports the modules itself, as it does when it serves: vite would write each again, with a call in place of each imported name, which costs
 * a tenth of the CPU of all. With room for 64 MB of new objects a third fewer of them are moved before they are given up: another tenth.
 */
const NATIVE = { experimental: { viteModuleRunner: false, nodeLoader: false }, execArgv: ["--max-semi-space-size=64"] }

const NODE = { environment: "node" as const, setupFiles: ["test/support/property-seed.ts"], ...IN_NODE, ...PATIENT }

/** Processes and servers are waited for, so their files go first: vitest, without the times of an earlier run, begins with the largest. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification): boolean => /\/test\/(?:local|package)\//.test(moduleId)
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))]
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    // The default, one less than there are cores, leaves one of two idle.
    maxWorkers: 2,
    projects: [
      { test: { ...NODE, ...NATIVE, name: "node", isolate: false, include: TESTS, exclude: [...IN_WORKERD, ...MOCKED, ...PACKAGES] } },
      { test: { ...NODE, name: "node-mocked", include: MOCKED, exclude: [...IN_WORKERD, ...PACKAGES] } },
      {
        plugins: [
          oneModule(),
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { ENVIRONMENT: "local", REQUEST_LOG: "off", DATA_TENANT: "local" },
              d1Databases: { DATA: "data" },
              // Carries plans out [T41]: what it was sent it gives back when it is asked for it.
              serviceBindings: { DISPATCH_SHOP: dispatcher },
            },
          }),
        ],
        test: {
          name: "worker",
          ...AFTERWARDS,
          isolate: false,
          include: ["test/worker/**/*.test.ts"],
          deps: BUNDLED,
          ...IN_WORKER,
          ...PATIENT,
        },
      },
      {
        plugins: [
          oneModule(),
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: { ENVIRONMENT: "local", REQUEST_LOG: "off" },
              // A class of another Worker, as a deployment has it [T20]: its commands are processes of this machine.
              durableObjects: { SANDBOX: { className: "Sandbox", scriptName: "machines" } },
              serviceBindings: { SANDBOX_HOST: sandboxHost },
              workers: [{ ...SANDBOX_WORKER, serviceBindings: { HOST: sandboxHost } }],
            },
          }),
        ],
        test: {
          name: "sandbox",
          ...AFTERWARDS,
          isolate: false,
          deps: BUNDLED,
          ...IN_WORKER,
          include: ["test/sandbox/**/*.test.ts"],
          ...PATIENT,
        },
      },
    ],
  },
})

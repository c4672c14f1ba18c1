// `node` runs what is pure or has memory ports; `worker` and `sandbox` run what must be seen inside workerd; `node-mocked` isolates the
// files that replace a module. One project alone: `npx vitest run --project node`.
//
// All others share their modules, and in workerd the storage too, with the files that ran before them in the same process: the Worker is
// loaded twice instead of 47 times. So a test makes the tenants, runs and flows it speaks of, and puts back every global it changes.

import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"
import { buildAssets } from "./local/assets.ts"
import { makeShellLibrary } from "./local/shell-library.ts"
import { SANDBOX_WORKER, sandboxHost } from "./test/sandbox/stand-in.ts"

await Promise.all([makeShellLibrary(), buildAssets()])

const dispatched: unknown[] = []
async function dispatcher(request: { readonly method: string; json(): Promise<unknown> }): Promise<Response> {
  if (request.method === "GET") return Response.json(dispatched)
  dispatched.push(await request.json())
  return Response.json({ entitiesAffected: 1, summary: "refunded" })
}

/** One module of each library instead of its hundreds: the runner fetches each module of the Worker into workerd on its own. */
const BUNDLED = {
  optimizer: {
    ssr: {
      enabled: true,
      include: [
        "@ai-sdk/anthropic",
        "@ai-sdk/openai",
        "@ai-sdk/openai-compatible",
        "@modelcontextprotocol/server",
        "@sveltejs/acorn-typescript",
        "acorn",
        "croner",
        "hono",
        "htmlparser2",
        "ipaddr.js",
        "workers-ai-provider",
        "yaml",
        "zod",
      ],
    },
  },
}

/** They call `vi.mock`, which must come before any other file has imported what it replaces. */
const MOCKED = ["test/http/**/openapi.test.ts", "test/**/own-tools.test.ts"]
const TESTS = ["test/**/*.test.ts"]
const PACKAGES = ["**/node_modules/**"]
const IN_WORKERD = ["test/worker/**", "test/sandbox/**"]

/** For what hangs and nothing else: a machine that has other things to do takes ten times as long, and no test fails for that. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } } as const

const NODE = { environment: "node" as const, setupFiles: ["test/support/property-seed.ts"], ...PATIENT }
/** A project after the other: a process that is handed a file of another project is replaced, with all it has loaded. */
const turn = (groupOrder: number) => ({ sequence: { groupOrder } })

export default defineConfig({
  test: {
    // Two files at once: the default, one less than there are cores, leaves one of two idle.
    maxWorkers: 2,
    projects: [
      { test: { ...NODE, name: "node", ...turn(0), isolate: false, include: TESTS, exclude: [...IN_WORKERD, ...MOCKED, ...PACKAGES] } },
      { test: { ...NODE, name: "node-mocked", ...turn(1), include: MOCKED, exclude: [...IN_WORKERD, ...PACKAGES] } },
      {
        plugins: [
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
          ...turn(2),
          isolate: false,
          include: ["test/worker/**/*.test.ts"],
          deps: BUNDLED,
          ...PATIENT,
        },
      },
      {
        plugins: [
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
          ...turn(3),
          isolate: false,
          deps: BUNDLED,
          include: ["test/sandbox/**/*.test.ts"],
          ...PATIENT,
        },
      },
    ],
  },
})

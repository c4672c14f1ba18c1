// Two projects: `node` for what is pure or has memory ports, `worker` for what must be seen inside workerd.
// One of them alone: `npx vitest run --project node`.

import { cloudflareTest } from "@cloudflare/vitest-plugin"
import { defineConfig } from "vitest/config"
import { SANDBOX_WORKER, sandboxHost } from "./test/sandbox/stand-in.ts"

const dispatched: unknown[] = []
async function dispatcher(request: { readonly method: string; json(): Promise<unknown> }): Promise<Response> {
  if (request.method === "GET") return Response.json(dispatched)
  dispatched.push(await request.json())
  return Response.json({ entitiesAffected: 1, summary: "refunded" })
}

/** One module of each library in place of its hundreds: every test file loads the whole Worker into a workerd of its own. */
const BUNDLED = {
  optimizer: {
    ssr: {
      enabled: true,
      include: [
        "@ai-sdk/anthropic",
        "@ai-sdk/openai",
        "@ai-sdk/openai-compatible",
        "@cfworker/json-schema",
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

/** For what hangs and nothing else: a machine that has other things to do takes ten times as long, and no test fails for that. */
const PATIENT = { testTimeout: 300_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } } as const

export default defineConfig({
  test: {
    // Two files at once: the default, one less than there are cores, leaves one of two idle.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: "node",
          environment: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{worker,sandbox}/**"],
          setupFiles: ["test/support/property-seed.ts"],
          ...PATIENT,
        },
      },
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
          deps: BUNDLED,
          include: ["test/sandbox/**/*.test.ts"],
          ...PATIENT,
        },
      },
    ],
  },
})

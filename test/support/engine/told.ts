// Judges a folder of files as the catalog would when they are written, for tests of diagnostics.

import { Catalog } from "../../../src/engine/catalog/catalog.ts"
import { inTurn } from "../../../src/engine/in-turn.ts"
import { specsFor, toolNames } from "../../../src/tools/toolbox.ts"
import { FragileBlobs, MemoryRows } from "./memory-catalog.ts"

export const agent = (name: string, head = ""): string =>
  `---\nname: ${name}\ndescription: d\nmodel: m/m\n${head || "tools: []\n"}---\n\${{task}}\n`
export const flow = (name: string, steps = "  - { id: one, type: agent, agent: desk, task: t }\n"): string =>
  `name: ${name}\ndescription: d\nsteps:\n${steps}`
export const DESK = { "desk.md": agent("desk") }
export const SHOP = `openapi: ${JSON.stringify(
  JSON.stringify({
    openapi: "3.0.0",
    info: { title: "shop", version: "1" },
    servers: [{ url: "https://shop.example.com" }],
    paths: {
      "/refunds": {
        post: {
          operationId: "refund",
          description: "Pays an amount back to the customer.",
          requestBody: {
            required: true,
            content: {
              "application/json": { schema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } },
            },
          },
          responses: { 200: { description: "ok" } },
        },
      },
    },
  }),
)}\nprefix: shop.\n`

/** `path severity code suggestion`, without remarks on the files of the test itself. */
export async function told(files: Parameters<Catalog["replace"]>[0]): Promise<readonly string[]> {
  const catalog = new Catalog({
    store: new MemoryRows(),
    blobs: new FragileBlobs(),
    builtins: {},
    tools: toolNames(),
    traits: () => [...specsFor("open").values()],
    inTurn: inTurn(),
  })
  const done = await catalog.replace(files, undefined, { by: "an admin", configures: true })
  if ("stale" in done) throw new Error("stale")
  return Object.entries(done.diagnostics).flatMap(([path, list]) =>
    list.map(({ severity, code, suggestion = "" }) => `${path} ${severity} ${code} ${suggestion}`),
  )
}

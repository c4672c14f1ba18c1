// What a page may weigh: the bytes of the first load, and the memory after a thousand changes of route and a thousand new runs.

import assert from "node:assert/strict"
import type { Browser, CDPSession, Page } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { openPage } from "./page.ts"
import { checkAt } from "./visit.ts"
import type { World } from "./world.ts"

/** Over the wire, with the list of runs and all that it asks. */
const MAX_FIRST_LOAD = 300_000
/** Beyond the heap after a tenth of the same. */
const MAX_GROWTH = 1.1
const [FEW, MANY] = [100, 1_000]
const PLACES = [
  "runs",
  "runs/failures",
  "flows",
  "inbox",
  "agents",
  "settings/providers",
  "chat",
  "overview",
  "runs?status=failed",
  "inbox/effects",
]
/** As many at once as a server of two cores starts within a second. */
const AT_ONCE = 10

export function boundsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  return [
    {
      name: "bounds: the first load sends at most 300 KB",
      async run() {
        const { page, context, faults } = await openPage(browser, [world.url])
        try {
          const wire = await context.newCDPSession(page)
          await wire.send("Network.enable")
          let bytes = 0
          wire.on("Network.loadingFinished", ({ encodedDataLength }) => void (bytes += encodedDataLength))
          await page.goto(`${world.url}/console/runs`)
          await page.getByRole("button", { name: "Use sl_local_dev" }).click()
          await page.locator("main h1").first().waitFor()
          await page.waitForLoadState("load")
          await page.waitForTimeout(2_000)
          assert.ok(bytes > 50_000 && bytes <= MAX_FIRST_LOAD, `${bytes} bytes were sent, and at most ${MAX_FIRST_LOAD} may be`)
          assert.deepEqual(faults, [])
        } finally {
          await context.close()
        }
      },
    },
    checkAt(at, "bounds: a thousand changes of route leave the heap as a hundred do", "/console/runs", async ({ page, context }) => {
      const memory = await context.newCDPSession(page)
      await grown(page, memory, (times) => walkOn(page, world, times))
    }),
    checkAt(at, "bounds: a thousand new runs leave the heap as a hundred do", "/console/runs", async ({ page, context }) => {
      const memory = await context.newCDPSession(page)
      await grown(page, memory, async (times) => {
        for (let n = 0; n < times; n += AT_ONCE) {
          const started = Array.from({ length: AT_ONCE }, () =>
            world.api("POST", "/v1/flows/triage/runs", { task: "one more", rehearse: true }),
          )
          await Promise.all(started)
          const shown = page.getByRole("button", { name: /new run/ })
          if (await shown.isVisible()) await shown.click()
        }
      })
    }),
  ]
}

/** Does it a hundred times and then up to a thousand, and compares what is left of each. */
async function grown(page: Page, memory: CDPSession, act: (times: number) => Promise<void>): Promise<void> {
  await act(FEW)
  const few = await heap(page, memory)
  await act(MANY - FEW)
  const many = await heap(page, memory)
  console.log(`     heap ${few.toLocaleString()} bytes after ${FEW}, ${many.toLocaleString()} after ${MANY}`)
  assert.ok(many <= few * MAX_GROWTH, `${few} bytes after ${FEW}, and ${many} after ${MANY}`)
}

async function walkOn(page: Page, world: World, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    await page.evaluate(
      (address) => {
        history.pushState(null, "", address)
        dispatchEvent(new PopStateEvent("popstate"))
      },
      `${world.url}/console/${PLACES[n % PLACES.length] ?? ""}`,
    )
    await page.locator("main#main h1").first().waitFor({ state: "attached" })
  }
}

/**
 * Bytes of what the page's scripts hold, after collection, once nothing is asked any more. Without compiled code, which grows for some hundred rounds
 * (by 0.5 MB) and then stands, and without what the browser keeps for its tools (0.6 KB a request).
 */
async function heap(page: Page, memory: CDPSession): Promise<number> {
  await page.waitForTimeout(8_000)
  await memory.send("HeapProfiler.collectGarbage")
  const chunks: string[] = []
  const take = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk)
  memory.on("HeapProfiler.addHeapSnapshotChunk", take)
  await memory.send("HeapProfiler.takeHeapSnapshot", {})
  memory.off("HeapProfiler.addHeapSnapshotChunk", take)
  const { snapshot, nodes } = JSON.parse(chunks.join("")) as Snapshot
  const fields = snapshot.meta.node_fields
  const [kind, size] = [fields.indexOf("type"), fields.indexOf("self_size")]
  const kinds = snapshot.meta.node_types[kind] ?? []
  let bytes = 0
  for (let at = 0; at < nodes.length; at += fields.length)
    if (!NOT_HELD.includes(kinds[nodes[at + kind] ?? 0] ?? "")) bytes += nodes[at + size] ?? 0
  return bytes
}

const NOT_HELD = ["code", "native"]

interface Snapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly (readonly string[])[] } }
  readonly nodes: readonly number[]
}

// What nobody plans for: a file of the page that does not come, a run that ends while its steps work, texts and flows of any size.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { axe } from "./axe.ts"
import { checkAt, has, visit } from "./visit.ts"
import type { World } from "./world.ts"

const LANES = 8
const lane = (id: string, more = ""): string => `  - { id: ${id}, type: agent, agent: helper, task: "scene:hello"${more} }\n`
const IDS = Array.from({ length: LANES }, (_, no) => `lane-${no}`)
const ITEM_FLOW = `name: stranger-item\ndescription: One of many.\nautonomous: false\nsteps:\n${lane("one")}`
const FLOW = `name: stranger-lanes
description: Eight side by side, and a map.
autonomous: false
max_concurrent: 8
inputs: { items: { type: array, default: ["a", "b", "c"] } }
steps:
${IDS.map((id) => lane(id)).join("")}  - { id: each, type: map, over: "\${{flow.input.items}}", do: stranger-item }
`
const LONG = "Überprüfung-der-außergewöhnlich-langen-Zeichenkette-ohne-Leerzeichen-".repeat(6)

export function strangerChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const put = async (name: string, body: string): Promise<void> => {
    const headers = { authorization: `Bearer ${world.key}`, "content-type": "application/yaml" }
    const answer = await fetch(`${world.url}/v1/flows/${name}`, { method: "PUT", body, headers })
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
  }
  const started = async (flow: string, body: object, wanted: string): Promise<string> => {
    const { id } = (await world.api("POST", `/v1/flows/${flow}/runs`, body)) as { readonly id: string }
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (status === wanted) return id
      if (["succeeded", "failed", "canceled"].includes(status)) throw new Error(`the run of ${flow} has ${status}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  return [
    checkAt(at, "stranger: a page whose file does not come says so under the bar, and comes when it can", "/console/chat", async (seen) => {
      const { page, faults } = seen
      await page.route("**/assets/agents-place*.js", (route) => route.abort())
      await page.getByRole("link", { name: "Agents" }).click()
      await has(page.getByRole("alert"), "Part of the console could not be loaded")
      await page.getByRole("link", { name: "Settings" }).waitFor()
      assert.deepEqual(await axe(page), [])
      // The browser and React say it too.
      faults.length = 0
      await page.unroute("**/assets/agents-place*.js")
      await page.getByRole("button", { name: "Try again" }).click()
      await has(page.locator("main h1"), "Agents")
    }),
    checkAt(at, "stranger: [F31] no step of a run that is over works on", "/console/chat", async ({ page }) => {
      const run = await started("assist", { task: "scene:inbox-money", budget: { tokens: 1_200 } }, "waiting")
      const { data } = (await world.api("GET", `/v1/runs/${run}/interactions?status=pending`)) as {
        data: readonly { readonly id: string }[]
      }
      // [B2] What is used is told in words, not as JSON.
      await page.goto(`${world.url}/console/runs/${run}`)
      const asked = page.getByRole("region", { name: "A question" })
      await has(asked, "1,200 spent")
      await has(asked, "the next call may cost up to")
      assert.equal(await asked.locator("pre").count(), 0)
      await world.api("POST", `/v1/runs/${run}/interactions/${data[0]?.id}`, { answer: "stop" })
      await has(page.locator(".run-head_rTitle"), "Failed")
      await page.locator(".graph_nd.canceled", { hasText: "help" }).waitFor()
      assert.equal(await page.locator(".graph_nd.running, .st.running").count(), 0)
    }),
    checkAt(
      at,
      "stranger: a graph shows eight steps side by side, and how many runs a map has started",
      "/console/chat",
      async ({ page }) => {
        await put("stranger-item", ITEM_FLOW)
        await put("stranger-lanes", FLOW)
        const run = await started("stranger-lanes", {}, "succeeded")
        await page.goto(`${world.url}/console/runs/${run}`)
        await has(page.locator(".graph_fr.graph_runs"), "3 runs")
        const wrap = await page.locator(".run-page_gWrap").boundingBox()
        for (const id of [IDS[0], IDS.at(-1)]) {
          const box = await page.locator(".graph_nd", { hasText: id ?? "" }).boundingBox()
          assert.ok(wrap && box && box.y >= wrap.y && box.y + box.height <= wrap.y + wrap.height, `${id} is cut off`)
        }
      },
    ),
    {
      name: "stranger: a task of many lines leaves room on a phone",
      async run() {
        const run = await started("assist", { task: `${LONG} scene:hello` }, "succeeded")
        const seen = await visit(browser, world, `/console/runs/${run}`, { width: 390 })
        try {
          const { page } = seen
          await has(page.locator(".run-head_rTitle"), "Succeeded")
          const box = await page.locator(".run-head_rMeta > .cut").boundingBox()
          assert.ok(box && box.height <= 66, `the task is ${box?.height} pixels high`)
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
          assert.deepEqual(seen.faults, [])
        } finally {
          await seen.context.close()
        }
      },
    },
    {
      name: "stranger: with the reader's own colors, bars keep theirs and the place is outlined",
      async run() {
        const run = await started("assist", { task: "scene:hello" }, "succeeded")
        const seen = await visit(browser, world, `/console/runs/${run}`)
        try {
          const { page } = seen
          await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" })
          await has(page.locator(".run-head_rTitle"), "Succeeded")
          const [model, tool] = await Promise.all(
            ["model", "tool"].map((kind) =>
              page.locator(`.timeline_legend .timeline_${kind}`).evaluate((node) => getComputedStyle(node).backgroundColor),
            ),
          )
          assert.notEqual(model, tool, "the bar of a model looks like that of a tool")
          const place = page.locator('.shell_nav [aria-current="page"]')
          assert.equal(await place.evaluate((node) => getComputedStyle(node).outlineStyle), "solid")
          assert.deepEqual(seen.faults, [])
        } finally {
          await seen.context.close()
        }
      },
    },
  ]
}

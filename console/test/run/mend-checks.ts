// What mends a run that failed: the way out by its cause, the code of a step, another prompt in a fork, and the family of a run.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const CALC = `name: calc
description: Adds.
autonomous: false
inputs:
  n: { type: number, required: true }
steps:
  - { id: sum, type: code, inputs: { n: "\${{flow.input.n}}" }, outputs: [total] }
`
const SUM = `export default (input, ctx) => {
  ctx.log("adding " + input.n)
  const none = undefined
  return { total: none.total + input.n }
}
`

export function mendChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const ended = async (id: string): Promise<string> => {
    for (;;) {
      const { status } = (await world.api("GET", `/v1/runs/${id}`)) as { readonly status: string }
      if (status === "failed" || status === "succeeded") return id
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const run = async (flow: string, start: object): Promise<string> =>
    ended(((await world.api("POST", `/v1/flows/${flow}/runs`, start)) as { readonly id: string }).id)
  const fork = async (of: string, body: object): Promise<string> =>
    ended(((await world.api("POST", `/v1/runs/${of}/fork`, body)) as { readonly id: string }).id)
  const put = async (path: string, body: string): Promise<void> => {
    const answer = await fetch(`${world.url}${path}`, {
      method: "PUT",
      body,
      headers: { authorization: `Bearer ${world.key}`, "content-type": "text/plain" },
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  const failed = (): Promise<string> => run("pair", { task: "scene:fails", inputs: { who: "Ann" } })
  const calc = async (): Promise<string> => {
    await put("/v1/flows/calc", CALC)
    await put("/v1/code/calc/sum", SUM)
    return run("calc", { inputs: { n: 3 } })
  }
  return [
    checkAt(
      at,
      "mend: a key that the provider refuses is replaced first, and the fork comes after",
      async () => `/console/runs/${await run("assist", { task: "scene:no-key" })}`,
      async ({ page }) => {
        const why = page.getByRole("region", { name: "Why it failed" })
        const first = why.locator(".btn.first")
        await first.waitFor()
        assert.equal(await first.count(), 1)
        assert.equal(await first.textContent(), "Replace the key of scenes")
        await has(why.getByRole("button"), "Then fork from here")
        await first.click()
        await page.waitForURL(/\/console\/settings\/providers$/)
      },
    ),
    checkAt(
      at,
      "mend: a code step that failed has its inputs, its console output and the line of its file",
      async () => `/console/runs/${await calc()}`,
      async ({ page }) => {
        await has(page.getByRole("region", { name: "Inputs" }), '"n": 3')
        await has(page.getByRole("region", { name: "Console output" }), "adding 3")
        await has(page.locator(".run-head_whyfail"), "Open sum.ts at line 4")
        assert.deepEqual(await axe(page), [])
        await page.getByRole("link", { name: "code/calc/sum.ts:4" }).click()
        await page.waitForURL(/flows\/calc\?file=/)
        await has(page.getByRole("tab", { selected: true }), "sum.ts")
      },
    ),
    checkAt(
      at,
      "mend: another prompt of a step is one of its fork alone",
      async () => `/console/runs/${await failed()}`,
      async ({ page }) => {
        const source = page.url()
        await page.locator(".run-head_whyfail").waitFor()
        await page.keyboard.press("e")
        const dialog = page.getByRole("dialog", { name: /^Edit and run from write/ })
        await dialog.getByRole("tab", { name: "Prompt and model" }).click()
        await has(dialog, "the agent helper stays as it is")
        const editor = dialog.getByRole("textbox", { name: "Prompt and tools of helper" })
        await editor.click()
        await page.keyboard.press("Control+End")
        await page.keyboard.type("Be kind?")
        await has(dialog.locator("dd"), "look")
        assert.deepEqual(await axe(page), [])
        await dialog.getByRole("button", { name: /^Fork: 1 step kept/ }).click()
        await page.waitForURL((url) => url.href.split("?")[0] !== source.split("?")[0] && /runs\/run_/.test(url.href))
        const id = new URL(page.url()).pathname.split("/").at(-1) ?? ""
        await ended(id)
        const { data } = (await world.api("GET", `/v1/runs/${id}/events?limit=200`)) as { readonly data: readonly object[] }
        assert.match(JSON.stringify(data), /Be kind\?/)
        assert.doesNotMatch(JSON.stringify(await world.api("GET", "/v1/catalog/export")), /Be kind\?/)
      },
    ),
    checkAt(
      at,
      "mend: the forks of a run are a tree in which this one is marked, and each leads to its run",
      async () => {
        const id = await failed()
        const first = await fork(id, { from: { step: "write" } })
        await fork(first, { from: { step: "write" } })
        return `/console/runs/${first}`
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Forks", exact: true }).click()
        const tree = page.getByRole("navigation", { name: "Forks" })
        await has(tree.locator('[aria-current="true"]'), "this run, failed")
        assert.equal(await tree.getByRole("listitem").count(), 3)
        const lefts = await Promise.all((await tree.getByRole("listitem").all()).map(async (one) => (await one.boundingBox())?.x ?? 0))
        assert.ok((lefts[0] ?? 0) < (lefts[1] ?? 0) && (lefts[1] ?? 0) < (lefts[2] ?? 0), "sources are left, forks right")
        assert.deepEqual(await axe(page), [])
        await tree.getByRole("link", { name: /^Failed fork at write/ }).click()
        await has(page.locator(".run-head_rMeta"), "fork of run_")
      },
    ),
    checkAt(
      at,
      "mend: of many forks, those that are left out are drawn when they are asked for",
      async () => {
        const id = await failed()
        const forks = await Promise.all(Array.from({ length: 13 }, () => fork(id, { from: { step: "write" } })))
        return `/console/runs/${forks[0] ?? ""}`
      },
      async ({ page }) => {
        await page.getByRole("button", { name: "Forks", exact: true }).click()
        const tree = page.getByRole("navigation", { name: "Forks" })
        await tree.getByRole("button", { name: "12 more" }).click()
        await tree.getByRole("listitem").nth(13).waitFor()
        assert.equal(await tree.getByRole("listitem").count(), 14)
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(
      at,
      "mend: the graph is made taller by its grip, and stays so",
      async () => `/console/runs/${await failed()}`,
      async ({ page }) => {
        const grip = page.getByRole("separator", { name: "Height of the graph" })
        const tall = async (): Promise<number> => (await page.locator(".graph_gIn").boundingBox())?.height ?? 0
        await page.locator(".graph_nd").first().waitFor()
        const before = await tall()
        await grip.focus()
        for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowDown")
        await page.waitForFunction((height) => (document.querySelector(".graph_gIn")?.clientHeight ?? 0) > height + 80, before)
        const box = await grip.boundingBox()
        await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 4)
        await page.mouse.down()
        await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 54, { steps: 4 })
        await page.mouse.up()
        const after = await tall()
        assert.ok(after > before + 120, `${before} px, then ${after} px`)
        await page.reload()
        await page.locator(".graph_nd").first().waitFor()
        assert.equal(await tall(), after)
        await grip.dblclick()
        await page.waitForFunction((height) => document.querySelector(".graph_gIn")?.clientHeight === height, Math.round(before))
      },
    ),
    {
      name: "mend: axe finds nothing of a code step and of costs, in either theme, on a wide and on a small screen",
      async run() {
        const id = await calc()
        await looked(at, "run-code", `/console/runs/${id}?pane=detail`, async ({ page }) => {
          await page.getByRole("region", { name: "Console output" }).waitFor()
        })
        const pair = await run("pair", { task: "scene:hello", inputs: { who: "Ann" } })
        await looked(at, "run-costs", `/console/runs/${pair}?step=.&tab=tools&pane=detail`, async ({ page }) => {
          await page.getByText("Tokens by step").waitFor()
        })
      },
    },
  ]
}

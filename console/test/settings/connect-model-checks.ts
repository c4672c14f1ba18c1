// A model is connected, driven by a keyboard: from its key to its first answer in one dialog, with nothing saved before it works.

import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const AT = "/console/settings/providers"
const KEY = "sk-good-0123456789"
const NAME = "dialog"

export function connectModelChecks(browser: Browser, world: World, shots?: string): Check[] {
  const stage = { browser, world, shots }
  const dialog = (page: Page) => page.getByRole("dialog")
  const providers = async (): Promise<string> => JSON.stringify(await world.api("GET", "/v1/settings/providers"))
  return [
    checkAt(
      stage,
      "settings: [N6] from a key to a first answer by keyboard alone, and nothing is saved before it works",
      AT,
      async ({ page }) => {
        const server = await provider()
        const before = await world.api("GET", "/v1/settings/roles")
        try {
          await page.getByRole("heading", { name: "Models", level: 1 }).waitFor()
          await page.keyboard.press("n")
          await dialog(page).waitFor()
          await dialog(page).getByRole("radio", { name: "OpenAI-compatible" }).check()
          await page.keyboard.press("Tab")
          await page.keyboard.type(server.url)
          await page.keyboard.press("Tab")
          assert.equal(await dialog(page).getByLabel("Key", { exact: true }).getAttribute("type"), "password")
          await page.keyboard.type("sk-wrong")
          await page.keyboard.press("Enter")
          await has(dialog(page).getByRole("alert"), "does not accept this key")
          assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "password", "the focus is on what is wrong")
          await page.keyboard.press("Control+a")
          await page.keyboard.type(KEY)
          await dialog(page).getByLabel("Name").fill(NAME)
          await page.keyboard.press("Enter")
          await has(dialog(page), "3 models")
          assert.equal(await dialog(page).getByLabel("Default:").inputValue(), "claude-sonnet-4-5")
          assert.equal(await dialog(page).getByLabel("Fast:").inputValue(), "small-8b")
          await has(dialog(page), "$3 in, $15 out per million tokens")
          await has(dialog(page), "Price of small-8b")
          assert.deepEqual(await axe(page), [])
          // The question has the focus.
          await page.keyboard.press("Control+a")
          await page.keyboard.type("What is a sluice? Guess g?")
          assert.equal((await providers()).includes(NAME), false)
          await page.keyboard.press("Enter")
          await has(dialog(page), "A gate for water.")
          await has(dialog(page), /\d+ (ms|s), 55 tokens, <\$0\.001/)
          assert.equal(server.asked.at(-1)?.includes("What is a sluice? Guess g?"), true)
          assert.equal((await providers()).includes(NAME), false, "an answer saves nothing")
          await page.keyboard.press("Control+Enter")
          await dialog(page).waitFor({ state: "detached" })
          await has(page.locator("main [role=status]"), /Saved \d/)
          await has(page.locator(".settings_srow", { hasText: NAME }), "works, 3 models")
          const roles = (await world.api("GET", "/v1/settings/roles")) as Readonly<Record<string, unknown>>
          assert.deepEqual([roles["default"], roles["fast"]], ["scenes/m", `${NAME}/small-8b`], "a role that names a model keeps it")
          assert.equal((await page.content()).includes(KEY), false)
        } finally {
          await world.api("PUT", "/v1/settings/roles", before)
          if ((await providers()).includes(NAME)) await world.api("DELETE", `/v1/settings/providers/${NAME}`)
          await server.close()
        }
      },
    ),
    {
      name: "settings: axe finds nothing in the dialog that connects a model, in either theme and on both screens",
      async run() {
        await looked(stage, "settings-connect-model", `${AT}?connect=1`, async ({ page }) => {
          await dialog(page).waitFor()
          await has(page.locator(".settings_srow"), "works, 2 models")
        })
      },
    },
  ]
}

/** A provider on loopback that knows one key. */
async function provider() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece))
    request.on("end", () => {
      if (request.headers.authorization !== `Bearer ${KEY}`) {
        response.writeHead(401, { "content-type": "application/json" })
        return response.end(JSON.stringify({ error: { message: "Incorrect API key provided" } }))
      }
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "application/json" })
        return response.end(JSON.stringify({ data: ["claude-sonnet-4-5", "small-8b", "text-embedding-1"].map((id) => ({ id })) }))
      }
      asked.push(body)
      response.writeHead(200, { "content-type": "text/event-stream" })
      const chunk = (delta: object, finish: string | null, more: object = {}): string =>
        `data: ${JSON.stringify({ id: "1", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
      const usage = { prompt_tokens: 24, completion_tokens: 31, total_tokens: 55 }
      return response.end(
        `${chunk({ role: "assistant", content: "A gate for water." }, null)}${chunk({}, "stop", { usage })}data: [DONE]\n\n`,
      )
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return {
    asked,
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

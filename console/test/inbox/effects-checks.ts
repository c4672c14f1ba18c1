// Effects in a browser: two of three are committed, an uncertain one is settled once, what was done is taken back.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { startService, type Service } from "./effects-world.ts"
import { pressUntil } from "./inbox-checks.ts"
import type { Look, Seen } from "../page.ts"
import { has, visit } from "../visit.ts"
import type { World } from "../world.ts"

interface Visit extends Seen {
  readonly service: Service
  go(place: string): Promise<void>
}

const all = (state: string) => (states: readonly string[]) => states.length > 0 && states.every((one) => one === state)

export function effectsChecks(browser: Browser, world: World, shots?: string): Check[] {
  let started: Promise<Service> | undefined
  const check = (name: string, run: (visited: Visit) => Promise<void>, look: Look = {}): Check => ({
    name: `effects: ${name}`,
    async run() {
      const service = await (started ??= startService(world))
      const seen = await visit(browser, world, "/console/inbox/effects", look)
      const go = async (place: string): Promise<void> => {
        await seen.page.goto(`${world.url}/console/inbox/effects${place}`)
        await seen.page.locator("main.inbox_inbox").waitFor()
      }
      try {
        await run({ ...seen, service, go })
        assert.deepEqual(seen.faults, [])
      } catch (error) {
        if (shots !== undefined)
          await seen.page.screenshot({ path: `${shots}/failed-effects-${name.replaceAll(/\W+/g, "-").slice(0, 40)}.png` })
        throw error
      } finally {
        await seen.context.close()
        await settle(world, service)
      }
    },
  })
  const button = (page: Page, name: RegExp) => page.getByRole("button", { name })
  const shot = async (page: Page, name: string): Promise<void> => {
    if (shots !== undefined) await page.screenshot({ path: `${shots}/effects-${name}.png` })
  }

  return [
    check(
      "[K32] two of three leave in their order, the third is discarded, and nothing is chosen beforehand",
      async ({ page, service, go }) => {
        const run = await service.start("effects-three", "staged")
        await service.until(run, all("staged"))
        const before = service.had.length
        await go("")
        await has(page.locator("#ask-title"), "Let 3 effects of send leave?")
        assert.match(page.url(), new RegExp(`/effects/${run}$`))
        await has(page.locator("pre").first(), "POST http://127.0.0.1:")
        await has(page.locator("pre").first(), "Idempotency-Key: eff_")
        await has(page.locator("pre").nth(1), /"text": ?"second"/)
        assert.equal(await page.locator(".effects_fx input:checked").count(), 0)
        assert.equal(await button(page, /^Commit 0 of 3/).getAttribute("aria-disabled"), "true")
        while ((await page.locator(".effects_fx input:checked").count()) === 0) await page.keyboard.press("1")
        await page.getByLabel("Commit note").nth(2).check()
        await button(page, /^Commit 2 of 3/).waitFor()
        await page.keyboard.press("Control+Enter")
        await has(page.getByRole("main"), /Nothing is open|Nothing waits to be committed or settled\./)
        assert.deepEqual(await service.until(run, (states) => !states.includes("staged") && !states.includes("sent")), [
          "confirmed",
          "discarded",
          "confirmed",
        ])
        assert.deepEqual(service.had.slice(before), ["note first", "note third"])
      },
    ),
    check("[K32] all are discarded by one button", async ({ page, service, go }) => {
      const run = await service.start("effects-three", "staged")
      await service.until(run, all("staged"))
      const before = service.had.length
      await go(`/${run}`)
      await has(page.locator("#ask-title"), "Let 3 effects")
      const asked = page.locator("#ask-title", { hasText: "Let 3 effects" })
      // A click in the first moments is not taken.
      while ((await asked.count()) > 0)
        await button(page, /^Discard all/)
          .click({ timeout: 500 })
          .catch(() => undefined)
      await service.until(run, all("discarded"))
      assert.equal(service.had.length, before)
    }),
    check("[K33] Y says that an uncertain one happened; who is second sees who was first", async ({ page, service, go }) => {
      const run = await service.start("effects-lost", "live")
      await service.until(run, all("uncertain"))
      await go("")
      await has(page.locator("#ask-title"), "Did letter happen?")
      await has(page.locator(".shell_nav .count"), "1")
      await has(page.locator("pre"), /"text": ?"Recall notice"/)
      await shot(page, "uncertain")
      await pressUntil(page, "y", () => has(page.getByRole("status"), "letter: confirmed."))
      const [row] = await service.ledger(run)
      assert.deepEqual([row?.state, row?.by], ["confirmed", "local"])
      const other = await service.start("effects-lost", "live")
      await service.until(other, all("uncertain"))
      const [lost] = await service.ledger(other)
      await go("")
      await has(page.locator("#ask-title"), "Did letter happen?")
      await page.route("**/v1/effects*", (route) => route.abort())
      await world.api("POST", `/v1/runs/${other}/effects/${encodeURIComponent(lost?.key ?? "")}`, { resolve: "did_not" })
      await pressUntil(page, "y", () => has(page.getByRole("alert"), "Someone answered first: failed by local"))
      assert.equal(await button(page, /^It happened/).count(), 0)
    }),
    check("[K35] what a run did is taken back, once, and an effect without an undo says so", async ({ page, service, go }) => {
      const run = await service.start("effects-three", "live")
      await service.until(run, all("confirmed"))
      const before = service.had.length
      for (let status = ""; status !== "succeeded";) ({ status } = (await world.api("GET", `/v1/runs/${run}`)) as { status: string })
      await go(`/${run}/undo`)
      await has(page.locator("#ask-title"), "Undo effects of send?")
      await has(page.locator("pre").first(), /"text": ?"third"/)
      await page.getByLabel("Undo note").nth(0).check()
      await page.getByLabel("Undo note").nth(1).check()
      await button(page, /^Undo 2 effects/).waitFor()
      await page.keyboard.press("Control+Enter")
      await has(page.locator(".effects_sim").nth(1), "Undone by local")
      assert.deepEqual(service.had.slice(before), ["back third", "back second"])
      assert.equal(await page.getByLabel("Undo note").nth(0).isDisabled(), true)
      await go("")
      await has(page.locator(".inbox_inl"), "of send")
    }),
    check("V shows all that is open in all runs, and leads there", async ({ page, service, go }) => {
      const [lost, staged] = [await service.start("effects-lost", "live"), await service.start("effects-three", "staged")]
      await Promise.all([service.until(lost, all("uncertain")), service.until(staged, all("staged"))])
      await go("?view=all")
      await has(page.locator(".effects_fxall"), "4 effects, 2 runs")
      await shot(page, "all")
      await button(page, /^Uncertain/).click()
      await page.waitForFunction(() => document.querySelectorAll(".tbl tbody tr").length === 1)
      await page.getByRole("link", { name: "Resolve letter" }).click()
      await has(page.locator("#ask-title"), "Did letter happen?")
      await page.keyboard.press("v")
      await has(page.locator(".effects_fxall"), "4 effects, 2 runs")
      await page.getByRole("link", { name: "Review note" }).first().click()
      await has(page.locator("#ask-title"), "Let 3 effects")
      // The question of the run is among the asks too, and leads here.
      await page.getByRole("link", { name: /^Asks/ }).click()
      await page.locator(".inbox_it", { hasText: "3 to commit" }).waitFor()
    }),
    check("a hundred rows: J goes to the last, which is in view beside what is open", async ({ page, go }) => {
      const data = Array.from({ length: 100 }, (_, at) => ({
        key: `eff_${at}`,
        run: `run_${String(at).padStart(26, "0")}`,
        step: "send",
        pass: 1,
        tool: `letter-${at}`,
        args: { text: `Letter ${at}` },
        state: "uncertain",
        target: "post.example",
        undoable: false,
        at: new Date(Date.UTC(2026, 10, 24) - at * 60_000).toISOString(),
      }))
      await page.route("**/v1/interactions?*", (route) => route.fulfill({ json: { data: [], next_cursor: null } }))
      await page.route("**/v1/effects?*", (route) => route.fulfill({ json: { data, next_cursor: null } }))
      await go("")
      await has(page.locator("#ask-title"), "Did letter-0 happen?")
      for (let at = 1; at < data.length; at++) {
        const before = page.url()
        await page.keyboard.press("j")
        await page.waitForFunction((address) => location.href !== address, before)
      }
      await has(page.locator("#ask-title"), "Did letter-99 happen?")
      const { height } = page.viewportSize() ?? { height: 0 }
      for (const what of [page.locator('.inbox_inl [aria-current="true"]'), page.locator("#ask-title")]) {
        const box = await what.boundingBox()
        assert.ok(box && box.y >= 0 && box.y + box.height <= height, `in view: ${JSON.stringify(box)}`)
      }
      assert.equal(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), true)
    }),
    check("attacks in every text of an effect stay text", async ({ page, service, go }) => {
      const [lost, staged] = [await service.start("effects-lost-attack", "live"), await service.start("effects-attack", "staged")]
      await Promise.all([service.until(lost, all("uncertain")), service.until(staged, all("staged"))])
      await go(`/${staged}`)
      await has(page.locator("pre").first(), "<script>alert(2)</script>")
      await has(page.locator("pre").first(), "U+202E")
      const [row] = await service.ledger(lost)
      await go(`/${lost}/${encodeURIComponent(row?.key ?? "")}`)
      await has(page.locator("pre"), "<script>alert(2)</script>")
      const made = await page.evaluate(() =>
        [...document.querySelectorAll("#app :is(img, script, iframe, style, [onload], [onerror])")].map(({ outerHTML }) => outerHTML),
      )
      assert.deepEqual(made, [])
    }),
    ...(["light", "dark"] as const).flatMap((theme) =>
      [390, 1440].map((width) =>
        check(
          `WCAG 2.2 AA at ${width} pixels in the ${theme} theme`,
          async ({ page, service, go }) => {
            const looks = async (state: string): Promise<void> => {
              await shot(page, `${state}-${width}-${theme}`)
              assert.deepEqual(await axe(page), [], state)
              assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${state} is wider than the window`)
            }
            const [lost, staged, done] = [
              await service.start("effects-lost", "live"),
              await service.start("effects-three", "staged"),
              await service.start("effects-three", "live"),
            ]
            await Promise.all([
              service.until(lost, all("uncertain")),
              service.until(staged, all("staged")),
              service.until(done, all("confirmed")),
            ])
            await go(`/${staged}`)
            await has(page.locator("#ask-title"), "Let 3 effects")
            await page.getByLabel("Commit note").first().check()
            await looks("commit")
            const [row] = await service.ledger(lost)
            await go(`/${lost}/${encodeURIComponent(row?.key ?? "")}`)
            await has(page.locator("#ask-title"), "Did letter happen?")
            await looks("uncertain")
            await go(`/${done}/undo`)
            await has(page.locator("pre").first(), "third")
            await looks("undo")
            await go("?view=all")
            await has(page.locator(".effects_fxall"), "4 effects")
            await looks("all")
            if (width < 768) {
              await go("")
              await page.locator(".inbox_it").first().waitFor()
              await looks("list")
            }
          },
          { width, theme },
        ),
      ),
    ),
    { name: "effects: the service is closed", run: async () => (await started)?.close() },
  ]
}

/** Nothing stays open for the next check. */
async function settle({ api }: World, { ledger }: Service): Promise<void> {
  const { data } = (await api("GET", "/v1/effects?limit=200")) as {
    readonly data: readonly { readonly run: string; readonly key: string; readonly state: string }[]
  }
  for (const { run, key, state } of data)
    if (state === "uncertain") await api("POST", `/v1/runs/${run}/effects/${encodeURIComponent(key)}`, { resolve: "did_not" })
  for (const run of new Set(data.filter(({ state }) => state === "staged").map((row) => row.run))) {
    await api("POST", `/v1/runs/${run}/cancel`)
    await ledger(run)
  }
}

// The console's failures, driven by a browser with the tenant's key: groups, what people say of them, and a fork of all.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../test/browser/checks.ts"
import { failing } from "./failures-world.ts"
import { checkAt, has, looked } from "./visit.ts"
import type { World } from "./world.ts"

const LIST = "/console/runs/failures"

export function failuresChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const { write, fail, group, over } = failing(world)
  const made = async (flow: string, scene: string, times: number) => {
    await write(flow, scene)
    return fail(flow, times)
  }
  const placeOf = async (flow: string, scene: string, times: number): Promise<string> => `${LIST}/${(await made(flow, scene, times)).key}`
  const row = (page: Page, flow: string) => page.locator(".failures_fList tbody tr", { hasText: flow })
  const detail = (page: Page) => page.getByRole("complementary", { name: "The selected group" })
  const dialog = (page: Page) => page.getByRole("dialog")
  return [
    checkAt(
      at,
      "failures: [H14] a group says its shape, where, how often, since when and in which runs",
      async () => {
        await made("fail-shape", "gives-up", 2)
        return "/console/runs"
      },
      async ({ page }) => {
        await page.getByRole("link", { name: "Failures", exact: true }).click()
        await page.waitForURL(/\/runs\/failures\/fail_/)
        assert.match(await page.title(), /Failures · Sluice$/)
        const own = row(page, "fail-shape")
        await has(own, "order N has no “…”")
        assert.deepEqual(await own.locator("var").allTextContents(), ["N", "“…”"])
        await has(own, "fail-shape, write")
        await has(own, "agent_finish_error")
        const values = (await own.getByRole("img").getAttribute("aria-label")) ?? ""
        assert.match(values, /today last: (0, ){13}2$/)
        await has(own.locator(".failures_fN b"), "2 runs")
        await has(own.locator(".failures_fFirst"), /, r\d+$/)
        await own.getByRole("link").click()
        await has(detail(page), 'order 4471 has no "total"')
        const { runs = [] } = (await group("fail-shape")) ?? {}
        for (const run of runs) await detail(page).locator(`a[href$="/runs/${run}"]`).waitFor()
        await has(detail(page), "Orders of week 1")
        await page.keyboard.press("k")
        await page.waitForFunction(() => document.activeElement?.closest("tr")?.getAttribute("aria-current") === "true")
      },
    ),
    checkAt(
      at,
      "failures: [H14] M mutes, D resolves, and both are opened again",
      () => placeOf("fail-mark", "gives-up", 1),
      async ({ page }) => {
        const { key } = (await group("fail-mark")) ?? { key: "" }
        await has(detail(page), "order 4471")
        await page.keyboard.press("m")
        await row(page, "fail-mark").waitFor({ state: "detached" })
        assert.equal((await group("fail-mark"))?.status, "muted")
        await has(page.locator("p.vh[role=status]"), "Muted: order 4471")
        await page.goto(`${world.url}${LIST}/${key}?status=muted`)
        await has(detail(page), "Muted by local")
        await page.keyboard.press("m")
        await row(page, "fail-mark").waitFor({ state: "detached" })
        assert.equal((await group("fail-mark"))?.status, "open")
        await page.goto(`${world.url}${LIST}/${key}`)
        await has(row(page, "fail-mark"), "fail-mark")
        await page.keyboard.press("d")
        await row(page, "fail-mark").waitFor({ state: "detached" })
        assert.equal((await group("fail-mark"))?.status, "resolved")
        await page.getByRole("button", { name: /^Resolved/ }).click()
        await row(page, "fail-mark").getByRole("link").click()
        await detail(page).getByRole("button", { name: "Reopen" }).click()
        await row(page, "fail-mark").waitFor({ state: "detached" })
        assert.equal((await group("fail-mark"))?.status, "open")
      },
    ),
    checkAt(
      at,
      "failures: [H14] a resolved group that fails again has come back, and a refused mark says why",
      () => placeOf("fail-back", "gives-up", 1),
      async ({ page }) => {
        await has(detail(page), "order 4471")
        await page.route("**/v1/failures/*", (route) =>
          route.fulfill({ status: 403, json: { code: "forbidden", detail: "runs:write is missing" } }),
        )
        await page.keyboard.press("d")
        await has(detail(page).getByRole("alert"), "runs:write is missing")
        await page.unroute("**/v1/failures/*")
        await page.keyboard.press("d")
        await row(page, "fail-back").waitFor({ state: "detached" })
        await fail("fail-back", 1)
        await page.goto(world.url + LIST)
        await has(row(page, "fail-back"), "came back")
        await row(page, "fail-back").getByRole("link").click()
        await has(detail(page), "it came back with")
      },
    ),
    checkAt(
      at,
      "failures: [K13] Shift F asks once with the count, and forks each run where it failed with the newest revision",
      () => placeOf("fail-fork", "gives-up", 3),
      async ({ page }) => {
        const { runs = [] } = (await group("fail-fork")) ?? {}
        await write("fail-fork", "hello")
        await page.reload()
        const { revision } = (await world.api("GET", "/v1/catalog")) as { readonly revision: number }
        await has(detail(page), `Fork all 3 with r${revision}`)
        await page.keyboard.press("Shift+F")
        await has(dialog(page), "Fork 3 runs with the newest revision?")
        await has(dialog(page).locator(".bulk_parts li"), "3continue at the step that failed")
        await has(dialog(page), `r${revision}, the newest`)
        await dialog(page)
          .getByRole("button", { name: /^Fork 3 runs/ })
          .click()
        await page.waitForURL(/\/runs\/bulk\/bulk_/)
        await has(page.locator(".bulk_figures div", { hasText: "Succeeded" }).locator("dd"), /^3$/)
        for (const run of runs) {
          const { data } = (await world.api("GET", `/v1/runs?fork_of=${run}`)) as { readonly data: readonly { readonly id: string }[] }
          assert.equal(data.length, 1)
          assert.equal(await over(data[0]?.id ?? ""), "succeeded")
          await page.locator(`a[href$="/runs/${data[0]?.id}"]`).waitFor()
        }
        await page.goBack()
        await page.getByRole("button", { name: "Try one first" }).click()
        await has(dialog(page), "Fork the run with the newest revision?")
        await dialog(page)
          .getByRole("button", { name: /^Fork 1 run/ })
          .click()
        await page.waitForURL(/\/runs\/run_/)
        await has(page.getByRole("main"), "Succeeded")
      },
    ),
    checkAt(
      at,
      "failures: [H14] all means also those that the group no longer names, and none of another shape; the list finds them too",
      async () => {
        await made("fail-many", "gives-up-attack", 1)
        await write("fail-many", "gives-up")
        await fail("fail-many", 12)
        return `${LIST}/${(await group("fail-many"))?.key}`
      },
      async ({ page }) => {
        const known = (await group("fail-many"))?.runs ?? []
        assert.equal(known.length, 10)
        await has(detail(page), "Fork all 12 with")
        await page.keyboard.press("Shift+F")
        await has(dialog(page), "Fork 12 runs with the newest revision?")
        let asked: { readonly runs?: readonly string[] } = {}
        await page.route("**/v1/bulk", async (route) => {
          asked = route.request().postDataJSON() as typeof asked
          await route.fulfill({ status: 429, json: { code: "quota", detail: "5 bulks are under way." } })
        })
        await dialog(page)
          .getByRole("button", { name: /^Fork 12 runs/ })
          .click()
        await has(dialog(page).getByRole("alert"), "5 bulks are under way.")
        assert.equal(new Set(asked.runs).size, 12)
        for (const run of known) assert.ok(asked.runs?.includes(run))
        await page.keyboard.press("Escape")
        await dialog(page).waitFor({ state: "detached" })
        await page.getByRole("link", { name: "All failed runs of this group" }).click()
        await page.waitForFunction(() => document.querySelectorAll("tbody tr[data-run]").length === 12)
      },
    ),
    checkAt(
      at,
      "failures: groups are found by flow and word, typed; what is left out of rehearsals is said",
      async () => {
        await made("fail-find", "gives-up", 1)
        await made("fail-find2", "gives-up-attack", 1)
        await world.api("POST", "/v1/flows/fail-find/runs", { task: "x", rehearse: true })
        return LIST
      },
      async ({ page }) => {
        await row(page, "fail-find2").waitFor()
        await page.keyboard.press("/")
        await page.keyboard.type("order", { delay: 40 })
        await row(page, "fail-find2").waitFor({ state: "detached" })
        await has(row(page, "fail-find"), "order N has no")
        assert.equal(new URL(page.url()).searchParams.get("q"), "order")
        await page.getByRole("combobox", { name: "Flow" }).click()
        await page.keyboard.type("fail-find", { delay: 40 })
        await page.waitForFunction(() => document.querySelectorAll(".failures_fList tbody tr").length === 1)
        await page.keyboard.type("ing-else")
        await has(page.locator(".failures_fList"), "No group matches")
        await page.keyboard.press("Tab")
        await page.getByRole("button", { name: "Clear filter" }).click()
        await row(page, "fail-find2").waitFor()
        assert.equal(await page.getByRole("searchbox", { name: "Search failures" }).inputValue(), "")
        await page.route("**/v1/failures?*", (route) => {
          const days = [{ day: "2026-11-24", count: 1 }]
          const data = route.request().url().includes("rehearsed=1")
            ? [
                {
                  key: "fail_1",
                  flow: "f",
                  source: "config",
                  shape: "no",
                  message: "no",
                  rehearsed: true,
                  count: 1,
                  days,
                  first: { run: "run_1", at: "2026-11-24T09:00:00.000Z" },
                  last: { run: "run_1", at: "2026-11-24T09:00:00.000Z" },
                  runs: [],
                  status: "open",
                },
              ]
            : []
          return route.fulfill({ json: { data, next_cursor: null } })
        })
        await page.goto(world.url + LIST)
        await has(page.locator(".failures_fList"), "Nothing failed in 14 days")
        await has(page.locator(".failures_left"), "1 failed rehearsal is left out.")
        await page.locator(".failures_left").getByRole("button", { name: "Show" }).click()
        await page.waitForURL(/rehearsed=1/)
        await has(row(page, "f"), "no")
      },
    ),
    checkAt(at, "failures: what is read, what cannot be read, and what is empty", LIST, async ({ page }) => {
      const answered = Promise.withResolvers<void>()
      await page.route("**/v1/failures?*", async (route) => {
        await answered.promise
        await route.fulfill({ status: 500, json: { code: "internal", detail: "The index is away." } })
      })
      await page.reload()
      await has(page.locator(".skeleton_skels[role=status]"), "Reading the failures")
      answered.resolve()
      await has(page.getByRole("alert"), "The failures could not be read. The index is away.")
      await page.unroute("**/v1/failures?*")
      await page.route("**/v1/failures?*", (route) => route.fulfill({ json: { data: [], next_cursor: null } }))
      await page.getByRole("button", { name: "Try again" }).click()
      await has(page.locator(".failures_fList"), "Nothing failed in 14 days")
      await page.getByRole("button", { name: /^Muted/ }).click()
      await page.getByRole("button", { name: "Clear filter" }).click()
      await page.waitForURL((url) => url.search === "")
    }),
    checkAt(
      at,
      "failures: who may only read is told so",
      () => placeOf("fail-read", "gives-up", 2),
      async ({ page }) => {
        await page.route("**/v1/session", async (route) => {
          const answer = await route.fetch()
          await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), scopes: ["runs:read", "catalog:read"] } })
        })
        await page.reload()
        await has(detail(page), "runs:write is missing")
        await page.keyboard.press("Shift+F")
        await page.keyboard.press("m")
        assert.equal(await dialog(page).count(), 0)
        assert.equal((await group("fail-read"))?.status, "open")
      },
    ),
    checkAt(
      at,
      "failures: no text of a failure acts on the page",
      () => placeOf("fail-attack", "gives-up-attack", 1),
      async ({ page }) => {
        await has(detail(page), "onerror=")
        await has(detail(page), "U+202E")
        await has(row(page, "fail-attack"), "<script>alert(")
        await page.keyboard.press("Shift+F")
        await dialog(page).waitFor()
        assert.equal(await page.locator("main :is(script, iframe, img, style, object)").count(), 0)
      },
    ),
    {
      name: "failures: axe finds nothing in any state, in either theme, on a wide and on a small screen",
      async run() {
        const place = await placeOf("fail-look", "gives-up", 3)
        await looked(at, "failures-list", LIST, async ({ page }) => {
          await row(page, "fail-look").waitFor()
          await page.waitForTimeout(300)
        })
        await looked(at, "failures-one", place, async ({ page }) => {
          await has(detail(page), "Orders of week")
        })
        await looked(at, "failures-fork", place, async ({ page }) => {
          await has(detail(page), "Orders of week")
          await has(detail(page), "Fork all 3 with")
          await page.getByRole("button", { name: /^Fork all 3/ }).click()
          await has(dialog(page), "continue at the step that failed")
        })
        await looked(at, "failures-none", `${LIST}?rehearsed=1&status=muted`, async ({ page }) => {
          await has(page.locator(".failures_fList"), /Nothing failed|No group is muted/)
        })
      },
    },
  ]
}

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
        await detail(page).getByRole("button", { name: "Open again" }).click()
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
      "failures: [K13] Shift F asks once with the count, and forks each run where it failed with the latest revision",
      () => placeOf("fail-fork", "gives-up", 3),
      async ({ page }) => {
        const { runs = [] } = (await group("fail-fork")) ?? {}
        const [first = "", second = ""] = runs
        await write("fail-fork", "hello")
        await page.reload()
        const { revision } = (await world.api("GET", "/v1/catalog")) as { readonly revision: number }
        await has(detail(page), `Fork all 3 with r${revision}`)
        const keys: string[] = []
        let isRefused = false
        await page.route("**/v1/runs/*/fork", async (route) => {
          keys.push(`${route.request().url().split("/").at(-2)} ${route.request().headers()["idempotency-key"]}`)
          if (isRefused || !route.request().url().includes(second)) return route.continue()
          isRefused = true
          return route.fulfill({ status: 429, json: { code: "rate_limited", detail: "Too many runs begin." } })
        })
        await page.keyboard.press("Shift+F")
        await has(dialog(page), `Fork 3 runs with r${revision}?`)
        await has(dialog(page), "The newest keeps 1 step")
        assert.deepEqual(keys, [])
        await dialog(page)
          .getByRole("button", { name: /^Fork 3 runs/ })
          .click()
        await has(dialog(page), "2 forks began, 1 run did not.")
        await has(dialog(page), "Too many runs begin.")
        await dialog(page).getByRole("button", { name: "Try 1 run again" }).click()
        await has(dialog(page), "3 forks began.")
        assert.equal(keys.length, 4)
        assert.equal(new Set(keys).size, 3, "the run that is tried again has its key")
        assert.equal(new Set(keys.map((one) => one.split(" ")[1])).size, 3, "each run has a key of its own")
        for (const run of runs) {
          const { data } = (await world.api("GET", `/v1/runs?fork_of=${run}`)) as { readonly data: readonly { readonly id: string }[] }
          assert.equal(data.length, 1)
          assert.equal(await over(data[0]?.id ?? ""), "succeeded")
          await dialog(page).locator(`a[href$="/runs/${data[0]?.id}"]`).waitFor()
        }
        await dialog(page).getByRole("button", { name: "Close", exact: true }).last().click()
        await page.getByRole("button", { name: "Try one first" }).click()
        await has(dialog(page), `Fork 1 run with r${revision}?`)
        assert.equal(await dialog(page).locator(`a[href$="/runs/${first}"]`).count(), 1)
        await page.keyboard.press("Escape")
        await dialog(page).waitFor({ state: "detached" })
      },
    ),
    checkAt(
      at,
      "failures: [H14] all means also those that the group no longer names, and none of another shape",
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
        await has(dialog(page), "Fork 12 runs with r")
        const forks = new Set<string>()
        await page.route("**/v1/runs/*/fork", async (route) => {
          forks.add(route.request().url())
          await route.fulfill({ status: 422, json: { code: "not_forkable", detail: "Not here." } })
        })
        await dialog(page)
          .getByRole("button", { name: /^Fork 12 runs/ })
          .click()
        await has(dialog(page), "0 forks began, 12 runs did not.")
        assert.equal(forks.size, 12)
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
          await has(dialog(page), "The newest keeps 1 step")
        })
        await looked(at, "failures-none", `${LIST}?rehearsed=1&status=muted`, async ({ page }) => {
          await has(page.locator(".failures_fList"), /Nothing failed|No group is muted/)
        })
      },
    },
  ]
}

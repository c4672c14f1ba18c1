// Drafts of the catalog in the flows room, as `sluice dev` writes them: they come and go while the page is open, a flow is tried from one, its
// run says so, and one is thrown away.

import assert from "node:assert/strict"
import type { Browser, Locator, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"
import { flowText, putFlow } from "./flows-world.ts"

/** One step of its own, and a name that no other check uses. */
const changed = (name: string): string => `${flowText(name).replaceAll("id: write", "id: compose")}odd: true\n`

export function draftsChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const path = (draft: string): string => `/v1/catalog/drafts/${draft}`
  const put = (draft: string, flow: string): Promise<unknown> =>
    world.api("PUT", path(draft), { mode: "merge", flows: { [`${flow}.yaml`]: changed(flow) } })
  const gone = async (draft: string): Promise<boolean> =>
    (await fetch(world.url + path(draft), { headers: { authorization: `Bearer ${world.key}` } })).status === 404
  const row = (page: Page, draft: string): Locator => page.getByLabel("Drafts on the server").locator("li", { hasText: draft })
  return [
    checkAt(at, "flows: a draft that is written shows while the list is open, and is thrown away", "/console/flows", async ({ page }) => {
      await page.getByRole("heading", { name: "Flows", exact: true }).waitFor()
      await put("comes-up", "comes-up")
      const one = row(page, "comes-up")
      await has(one, "1 file")
      await has(one, "1 warning")
      assert.deepEqual(await axe(page), [])
      await one.getByRole("button", { name: "Discard" }).click()
      const dialog = page.getByRole("dialog", { name: "Discard comes-up" })
      await has(dialog, "Its 1 file on the server is deleted")
      assert.deepEqual(await axe(page), [])
      await dialog.getByRole("button", { name: "Discard the draft" }).click()
      await one.waitFor({ state: "detached" })
      assert.ok(await gone("comes-up"))
    }),
    checkAt(
      at,
      "flows: a flow is tried from a draft, and its run says so",
      async () => {
        const place = await putFlow(world, "drafted")
        await put("tries-it", "drafted")
        return place
      },
      async ({ page }) => {
        const one = row(page, "tries-it")
        await page.getByLabel("who").fill("Ana")
        await one.getByRole("button", { name: "Rehearse" }).click()
        await has(page.locator(".try-it_lastrun"), "The rehearsal of the draft tries-it on the server succeeded")
        await page.locator(".try-it_lastrun").getByRole("link", { name: "Open" }).click()
        await has(page.locator(".run-head_rHead .tag"), "draft tries-it")
        await page.locator(".graph_nd", { hasText: "compose" }).waitFor()
        await page.goBack()
        await page.getByLabel("who").fill("Ana")
        await row(page, "tries-it").getByRole("button", { name: "Run", exact: true }).click()
        await page.waitForURL(/\/console\/runs\/run_/)
        await has(page.locator(".run-head_rHead .tag"), "draft tries-it")
        await world.api("DELETE", path("tries-it"))
      },
    ),
    checkAt(
      at,
      "flows: a flow that only a draft has is run from its page",
      async () => {
        await put("has-more", "only-drafted")
        return "/console/flows/only-drafted"
      },
      async ({ page }) => {
        await has(page.getByRole("heading"), "There is no flow with this name")
        const one = row(page, "has-more")
        await one.getByRole("button", { name: "Rehearse" }).click()
        await has(page.getByRole("alert"), "who")
        assert.deepEqual(await axe(page), [])
        await world.api("DELETE", path("has-more"))
        await one.waitFor({ state: "detached" })
      },
    ),
    {
      name: "flows: drafts on both screens, in both themes",
      async run() {
        await put("a-draft-with-a-name-of-forty-letters-all", "looked-at")
        const place = await putFlow(world, "looked-at")
        const settle = async ({ page }: { readonly page: Page }): Promise<void> => row(page, "a-draft-with").first().waitFor()
        await looked(at, "flows-drafts", "/console/flows", settle)
        await looked(at, "flow-drafts", `${place}?pane=side`, settle)
        await world.api("DELETE", path("a-draft-with-a-name-of-forty-letters-all"))
      },
    },
  ]
}

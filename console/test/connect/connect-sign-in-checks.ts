// Connect: an MCP server that wants a person to sign in, with an authorization server on loopback. Its page opens in a window of its own.

import assert from "node:assert/strict"
import type { Browser } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { FakeMcpServer } from "../../../test/support/engine/fake-mcp-server.ts"
import { FakeOAuthServer } from "../../../test/support/engine/fake-oauth-server.ts"
import { axe } from "../axe.ts"
import { has, visit } from "../visit.ts"
import type { World } from "../world.ts"

export function connectSignInChecks(browser: Browser, world: World): Check[] {
  return [
    {
      name: "connect: a person signs in to an MCP server, and its tools are shown before any can be used",
      async run() {
        const [server, oauth] = await Promise.all([new FakeMcpServer().start(), new FakeOAuthServer().start()])
        oauth.protect(server)
        const { page, context, faults } = await visit(browser, world, "/console/settings/connect?tab=mcp")
        // The person's consent, given at once: the browser goes back to the server with a code.
        await context.route(`${oauth.issuer}/authorize**`, async (route) => {
          const back = oauth.consent(route.request().url())
          const query = new URLSearchParams(Object.entries(back).map(([name, value]) => [name, String(value)]))
          await route.fulfill({ status: 302, headers: { location: `${world.url}/v1/mcp-callback?${query.toString()}` } })
        })
        try {
          await page.getByRole("textbox", { name: "Address" }).fill(server.url)
          await page.getByRole("textbox", { name: "Name" }).fill("connect-desk")
          await page.getByRole("button", { name: "Preview tools" }).click()
          await has(page.getByRole("region", { name: "Sign in" }), "connect-desk wants you to sign in")
          assert.deepEqual(await axe(page), [])
          const opened = context.waitForEvent("page")
          await page.getByRole("button", { name: "Sign in", exact: true }).click()
          const other = await opened
          await has(other.locator("h1"), "connect-desk is connected")
          await other.close()
          const table = page.getByRole("region", { name: "Tools of the server" })
          await has(table.locator("tr"), "mcp:connect-desk:x")
          await has(table.locator(".st"), "Signed in")
          const read = async (): Promise<number> =>
            ((await world.api("GET", "/v1/mcp-servers/connect-desk")) as { readonly tools: readonly unknown[] }).tools.length
          assert.equal(await read(), 0, "a tool could be used before it was approved")
          await page.getByRole("checkbox", { name: "Approve mcp:connect-desk:x" }).check()
          await page.getByRole("button", { name: /^Approve 1 tool/ }).click()
          await has(page.getByRole("region", { name: "Approved" }), "1 tool of connect-desk can be used")
          assert.equal(await read(), 1)
          // The page of the authorization server is another one's.
          assert.deepEqual(
            faults.filter((fault) => !fault.startsWith(`request: ${oauth.issuer}/`)),
            [],
          )
        } finally {
          await context.close()
          await Promise.all([server.stop(), oauth.stop()])
        }
      },
    },
  ]
}

// Connect, driven by a browser: a folder and a zip with files that must not come. Nothing is written before the one button.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { zip } from "../../../test/support/engine/zip-archive.ts"
import { axe } from "../axe.ts"
import { ATTACKS } from "../scenes.ts"
import { checkAt, has, looked } from "../visit.ts"
import type { World } from "../world.ts"

const FLAT = ATTACKS.join(" ")
const PLACE = "/console/settings/connect"
const agent = (name: string, more = ""): string => `---\nname: ${name}\ndescription: Reviews a change.\n${more}---\nReview \${{task}}.\n`

const FOLDER: Readonly<Record<string, string>> = {
  "claude/agents/connect-reviewer.md": agent("connect-reviewer", "tools: Read, Grep\nmodel: opus\n"),
  "claude/agents/connect-other.md": agent("connect-other"),
  "claude/skills/connect-style/SKILL.md": "---\nname: connect-style\ndescription: How we write.\n---\nWrite plainly.\n",
  "claude/skills/connect-style/words.md": "Short words.\n",
  "claude/settings.json": `{"hooks": {"note": ${JSON.stringify(FLAT)}}}`,
  "claude/.credentials.json": '{"token": "connect-secret"}',
  "claude/.mcp.json": '{"mcpServers": {"linear": {"url": "https://mcp.linear.example/mcp"}, "local-db": {"command": "npx"}}}',
  "claude/picture.png": "not text",
}
/** A script in place of the picker: a folder as the browser gives it, with a path for each file. */
const give = (page: Page, files: Readonly<Record<string, string>>): Promise<void> =>
  page.evaluate((given) => {
    const transfer = new DataTransfer()
    for (const [path, text] of Object.entries(given)) {
      const file = new File([text], path.split("/").at(-1) ?? "")
      Object.defineProperty(file, "webkitRelativePath", { value: path })
      transfer.items.add(file)
    }
    const input = document.querySelector<HTMLInputElement>('input[aria-label="Folder"]')
    if (!input) throw new Error("there is no field for a folder")
    // The files of a field's own list are other objects: they have lost their paths.
    Object.defineProperty(input, "files", {
      value: Object.assign([...transfer.files], { length: transfer.files.length }),
      configurable: true,
    })
    input.dispatchEvent(new Event("change", { bubbles: true }))
  }, files)

export function connectChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const there = async (path: string): Promise<boolean> =>
    (await fetch(world.url + path, { headers: { authorization: `Bearer ${world.key}` } })).ok
  return [
    checkAt(
      at,
      "connect: a folder is looked at, a file is left out, and one button writes the rest in one revision",
      PLACE,
      async ({ page }) => {
        const sent: string[] = []
        page.on("request", (request) => void (request.method() === "POST" && sent.push(request.postData() ?? "")))
        await page.getByRole("tab", { name: /Folder or zip/ }).waitFor()
        assert.deepEqual(await axe(page), [])
        await give(page, FOLDER)
        const table = page.getByRole("region", { name: "To import" })
        await has(table.locator("tr"), "connect-reviewer.md")
        await has(table.locator("tr", { hasText: "connect-style" }), "skill, 2 files")
        await has(table.locator("tr", { hasText: "settings.json" }), "run commands there")
        await has(table.locator("tr", { hasText: ".credentials.json" }), "never read and never sent")
        await has(table.locator("tr", { hasText: "local-db" }), "a program on your machine")
        await has(table.locator("tr", { hasText: "picture.png" }), "is not text")
        assert.ok(!sent.join("").includes("connect-secret"), "a secret was sent")
        assert.deepEqual(await axe(page), [])
        const { revision } = (await world.api("GET", "/v1/catalog")) as { readonly revision: number }
        await page.getByRole("checkbox", { name: /connect-other/ }).uncheck()
        await page.getByRole("button", { name: /^Import 3 files/ }).waitFor()
        assert.equal(await there("/v1/agents/connect-reviewer"), false, "a preview has written")
        await has(page.locator(".connect_side"), "0 files refused")
        await page.keyboard.press("Control+Enter")
        await has(page.getByRole("region", { name: "Imported" }), `in revision r${revision + 1}`)
        assert.deepEqual([await there("/v1/agents/connect-reviewer"), await there("/v1/agents/connect-other")], [true, false])
        assert.deepEqual(await axe(page), [])
        await page.getByRole("link", { name: "Connect linear" }).click()
        assert.equal(await page.getByRole("textbox", { name: "Address" }).inputValue(), "https://mcp.linear.example/mcp")
      },
    ),
    checkAt(at, "connect: a zip with bad files, and words that attack the page", PLACE, async ({ page }) => {
      const member = (name: string, text: string) => ({ name, body: new TextEncoder().encode(text) })
      const archive = zip([
        member("acme/.claude/agents/zipped.md", agent("zipped").replace("Reviews a change.", JSON.stringify(FLAT))),
        member("acme/.claude/agents/<img src=x onerror=alert(1)>.md", agent("attack")),
        member("acme/.claude/agents/broken.md", "---\nname: [\n---\nNo."),
        member("../../escape.md", agent("escape")),
        member("acme/logo.png", "x"),
      ])
      await page
        .getByLabel("Zip", { exact: true })
        .setInputFiles({ name: "acme.zip", mimeType: "application/zip", buffer: Buffer.from(archive) })
      const table = page.getByRole("region", { name: "To import" })
      await has(table.locator("tr"), "zipped.md")
      await has(table.locator("tr"), "escape.md")
      await page
        .getByRole("checkbox", { name: /onerror/ })
        .uncheck({ timeout: 5_000 })
        .catch(() => undefined)
      assert.equal(await page.locator("main :is(script, iframe, img, style)").count(), 0)
      assert.deepEqual(await axe(page), [])
      await page.getByRole("button", { name: "Other folder" }).click()
      await page
        .getByLabel("Zip", { exact: true })
        .setInputFiles({ name: "cut.zip", mimeType: "application/zip", buffer: Buffer.from(archive.subarray(0, 80)) })
      await has(page.getByRole("alert"), "truncated")
      assert.deepEqual(await axe(page), [])
    }),
    {
      name: "connect: axe finds nothing on the empty tabs, in either theme, on a wide and on a small screen",
      async run() {
        for (const tab of ["folder", "mcp", "openapi"])
          await looked(at, `connect-${tab}`, `${PLACE}?tab=${tab}`, async ({ page }) => {
            await page.getByRole("tabpanel").getByRole("button").first().waitFor()
          })
      },
    },
    {
      name: "connect: axe finds nothing on a folder's preview, in either theme, on a wide and on a small screen",
      async run() {
        await looked(at, "connect-preview", PLACE, async ({ page }) => {
          await page.getByRole("button", { name: "Choose a folder" }).waitFor()
          await give(page, FOLDER)
          await has(page.getByRole("region", { name: "To import" }).locator("tr"), "connect-reviewer.md")
        })
      },
    },
  ]
}

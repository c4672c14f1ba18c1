// What Connect shows before anything is written: a zip of a folder with a file that must not come, and an OpenAPI document.

import type { Page } from "playwright-core"
import { zip } from "../../../test/support/engine/zip-archive.ts"

const agent = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\ntools: Read, Grep\n---\n${description} \${{task}}\n`
const FOLDER = {
  ".claude/agents/reviewer.md": agent("reviewer", "Reviews a change before it is merged."),
  ".claude/agents/release-writer.md": agent("release-writer", "Writes the notes of a release."),
  ".claude/skills/house-style/SKILL.md": "---\nname: house-style\ndescription: How we write.\n---\nWrite plainly.\n",
  ".claude/skills/house-style/words.md": "Short words.\n",
  ".claude/.credentials.json": '{"token": "is never read"}',
  ".claude/settings.json": '{"hooks": {}}',
}
const operation = (operationId: string, summary: string) => ({ operationId, summary, responses: { 200: { description: "Done." } } })
const SHOP = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  servers: [{ url: "https://api.example.com/v1" }],
  paths: {
    "/orders": { get: operation("list_orders", "List orders, newest first."), post: operation("create_order", "Create an order.") },
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: operation("get_order", "Read one order with its lines."),
      delete: operation("cancel_order", "Cancel an order that has not left."),
    },
    "/refunds": { post: operation("refund", "Give money back for an order.") },
  },
}

export async function showZip(page: Page): Promise<void> {
  const archive = zip(Object.entries(FOLDER).map(([name, text]) => ({ name, body: new TextEncoder().encode(text) })))
  await page
    .getByLabel("Zip", { exact: true })
    .setInputFiles({ name: "claude.zip", mimeType: "application/zip", buffer: Buffer.from(archive) })
  await page.getByRole("region", { name: "To import" }).waitFor()
}

export async function showDocument(page: Page): Promise<void> {
  await page
    .getByLabel("Document", { exact: true })
    .setInputFiles({ name: "shop.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(SHOP)) })
  await page.getByRole("region", { name: "Operations" }).waitFor()
}

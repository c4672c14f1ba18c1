// WCAG 2.2 AA by axe-core, which sees into the shadow root. It is evaluated by the browser's tool, past the page's policy.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"

const AXE = readFileSync(fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url)), "utf8")
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

/** Each violation with the elements that have it. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async (tags) => {
    interface Found {
      readonly violations: readonly {
        readonly id: string
        readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
      }[]
    }
    const { axe } = globalThis as unknown as { axe: { run(context: Document, options: object): Promise<Found> } }
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags } })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
    )
  }, TAGS)
}

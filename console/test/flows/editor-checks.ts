// The editor of a flow in people's hands: what is typed stays where it is, what is offered is taken by keys, and what a word means is told.

import assert from "node:assert/strict"
import type { Browser, Page } from "playwright-core"
import type { Check } from "../../../test/browser/checks.ts"
import { axe } from "../axe.ts"
import { checkAt, has } from "../visit.ts"
import type { World } from "../world.ts"
import { flowText, putFlow, replaceText } from "./flows-world.ts"

/** Between two keys of a person who types fast. */
const HANDS = { delay: 40 }
const FINDER =
  "---\nname: finder\ndescription: Finds what is wrong\nmodel: '@fast'\ntools: [read]\noutputs: [findings, severity]\n---\n${{task}}\n"

export function editorChecks(browser: Browser, world: World, shots?: string): Check[] {
  const at = { browser, world, shots }
  const put = (name: string, content?: string): Promise<string> => putFlow(world, name, content)
  const line = (page: Page, words: string) => page.locator(".cm-line", { hasText: words }).first()
  const text = (page: Page): Promise<string> =>
    page
      .locator(".cm-content")
      .first()
      .evaluate((node) => [...node.querySelectorAll(".cm-line")].map(({ textContent }) => textContent).join("\n"))
  const newLine = async (page: Page, after: string): Promise<void> => {
    await line(page, after).click()
    await page.keyboard.press("End")
    await page.keyboard.press("Enter")
  }
  return [
    checkAt(
      at,
      "flows: prose wraps below where it began, and the text never scrolls sideways",
      () => put("wrapped", flowText("wrapped").replace('"scene:hello"', JSON.stringify(`Read ${"every word of it ".repeat(30)}`))),
      async ({ page }) => {
        await line(page, "Read every word").waitFor()
        const seen = await page.locator(".cm-scroller").evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth] as const)
        assert.ok(seen[0] <= seen[1], `${seen[0]} in ${seen[1]}`)
        // The second row of the task begins where its key does, not at the edge.
        const { left, key } = await line(page, "Read every word").evaluate((node) => {
          const range = document.createRange()
          range.selectNodeContents(node)
          const rows = [...range.getClientRects()]
          const last = Math.max(...rows.map(({ top }) => top))
          const word = node.querySelector("span")
          return {
            left: Math.min(...rows.filter(({ top }) => top === last).map((row) => row.left)),
            key: word?.getBoundingClientRect().left ?? 0,
          }
        })
        assert.ok(Math.abs(left - key) < 3, `it begins at ${left}, its key at ${key}`)
      },
    ),
    checkAt(
      at,
      "flows: a file is colored to the end of the screen when its first line is",
      () =>
        put(
          "colored",
          flowText(
            "colored",
            "\n".concat(
              ...Array.from(
                { length: 12 },
                (_, i) => `  - id: more${i}\n    type: agent\n    agent: helper\n    task: "And \${{flow.input.who}}"\n\n`,
              ),
            ),
          ),
        ),
      async ({ page }) => {
        const plain = await page.waitForFunction(() => {
          const lines = [...(document.querySelector("[data-editor]")?.shadowRoot?.querySelectorAll(".cm-line") ?? [])]
          const keyed = lines.filter(({ textContent }) => /^\s*(?:- )?\w+:/.test(textContent))
          if (keyed.length < 20 || keyed[0]?.querySelector("span") === null) return undefined
          return { all: keyed.length, plain: keyed.filter((one) => one.querySelector("span") === null).length }
        })
        const { all, plain: uncolored } = (await plain.jsonValue()) ?? { all: 0, plain: -1 }
        assert.equal(uncolored, 0, `${uncolored} of ${all} lines have no color yet`)
        assert.ok((await page.locator(".tpl").count()) > 3)
      },
    ),
    checkAt(
      at,
      "flows: the line that is typed stays where it is while faults come and go",
      () => put("still"),
      async ({ page }) => {
        await newLine(page, "agent: helper")
        const place = async (words: string) => (await line(page, words).boundingBox())?.y ?? -1
        await page.keyboard.type("tim", HANDS)
        await page.keyboard.press("Escape")
        const before = await place("tim")
        await page.keyboard.type("eout: x", HANDS)
        await has(page.locator(".flow-page_tally"), "1 error")
        await page.locator(".mark.error").first().waitFor()
        assert.equal(await place("timeout: x"), before)
        assert.equal(await page.locator(".problem").count(), 0, "a box stands below the line that is typed")
        // What is wrong is told in the foot, and the foot keeps its height.
        await has(page.locator(".flow-page_edFoot"), "timeout")
        assert.equal((await page.locator(".flow-page_edFoot").boundingBox())?.height, 34)
        // A fault above it, from what is typed here.
        await page.keyboard.press("Enter")
        const next = await page.locator(".cm-activeLine").first().boundingBox()
        await page.keyboard.type("xx: 1", HANDS)
        await has(page.locator(".flow-page_tally"), "1 warning")
        assert.equal(await place("xx: 1"), next?.y)
        assert.equal(await page.locator(".problem").count(), 0)
        assert.deepEqual(await axe(page), [])
        // Once the cursor is elsewhere, the boxes come.
        await line(page, "description: Looks").click()
        await page.locator(".problem.error").waitFor()
        await page.locator(".problem.warning").waitFor()
      },
    ),
    checkAt(
      at,
      "flows: what is to be written stands as it is written",
      () => put("advised"),
      async ({ page }) => {
        await replaceText(page, "advised", flowText("advised").replace("    agent: helper\n", ""))
        await has(page.locator(".problem"), "agent")
        assert.match((await page.locator(".problem code").first().textContent()) ?? "", /^agent: /)
        await page.locator(".problem b").first().waitFor()
        const words = (await page.locator(".problem > span").first().textContent()) ?? ""
        assert.match(words, /^[A-Z-]+ [A-Z]/)
      },
    ),
    checkAt(
      at,
      "flows: a step is written by what is offered, with keys alone",
      () => put("offered"),
      async ({ page }) => {
        await newLine(page, "result.look.summary")
        await page.keyboard.press("Backspace")
        await page.keyboard.type("- id: hold", HANDS)
        await page.keyboard.press("Enter")
        await page.keyboard.type("ty", HANDS)
        await offers(page, "type")
        await page.keyboard.press("Enter")
        await offers(page, "wait")
        assert.match(await text(page), /\n {4}type: \n?$/)
        await page.keyboard.type("wai", HANDS)
        await offers(page, "wait")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await page.keyboard.type("sig", HANDS)
        await offers(page, "signal")
        await page.keyboard.press("Enter")
        await page.keyboard.type("open", HANDS)
        assert.match(await text(page), /- id: hold\n {4}type: wait\n {4}signal: open\n?$/)
        await page.keyboard.press("Enter")
        // Keys of a wait, and none of a loop.
        await page.keyboard.type("on_", HANDS)
        await offers(page, "on_timeout")
        await page.keyboard.press("Escape")
        await page.keyboard.press("Control+Home")
        await page.keyboard.press("Enter")
        await page.keyboard.press("ArrowUp")
        await page.keyboard.type("max", HANDS)
        await offers(page, "max_concurrent")
        assert.deepEqual(await axe(page), [])
      },
    ),
    checkAt(
      at,
      "flows: a result offers the outputs of its agent",
      async () => {
        await world.api("PATCH", "/v1/catalog", { agents: { "finder.md": FINDER } })
        return put("found", flowText("found").replace("agent: helper", "agent: finder"))
      },
      async ({ page }) => {
        await newLine(page, "blockedBy: look")
        await page.keyboard.type("description: ${{result.look.f", HANDS)
        await offers(page, "findings")
        await page.keyboard.press("Enter")
        await has(page.locator(".cm-content"), "${{result.look.findings")
      },
    ),
    checkAt(
      at,
      "flows: a long flow is drawn as a whole, and larger when it is asked for",
      () =>
        put(
          "long",
          flowText(
            "long",
            "\n".concat(
              ...Array.from(
                { length: 14 },
                (_, i) => `  - { id: part${i}, type: agent, agent: helper, blockedBy: ${i === 0 ? "write" : `part${i - 1}`} }\n`,
              ),
            ),
          ),
        ),
      async ({ page }) => {
        await page.locator(".draft-graph_bx").nth(15).waitFor()
        const clipped = () =>
          page.locator(".flow-page_egW").evaluate((pane) => {
            const { bottom, right } = pane.getBoundingClientRect()
            return [...pane.querySelectorAll("rect")].filter((one) => {
              const box = one.getBoundingClientRect()
              return box.bottom > bottom || box.right > right || box.width < 60
            }).length
          })
        assert.equal(await clipped(), 0)
        const before = (await page.locator(".draft-graph_dgraph").boundingBox())?.height ?? 0
        await page.getByRole("button", { name: "Enlarge" }).click()
        await page.waitForFunction(
          (low) => (document.querySelector(".draft-graph_dgraph")?.getBoundingClientRect().height ?? 0) > low,
          before,
        )
        assert.equal(await clipped(), 0)
        assert.deepEqual(await axe(page), [])
        await page.getByRole("button", { name: "Smaller" }).click()
        await page.locator(".try-it_tryit").waitFor()
      },
    ),
    checkAt(
      at,
      "flows: a key says what it means where the pointer rests",
      () => put("meant"),
      async ({ page }) => {
        await page.locator(".cm-line span", { hasText: /^blockedBy$/ }).hover()
        await has(page.locator(".cm-tooltip"), "earlier steps that must end")
      },
    ),
  ]
}

/** What is offered stands there. */
const offers = (page: Page, word: string): Promise<void> =>
  page
    .locator(".cm-tooltip-autocomplete li", { hasText: word })
    .first()
    .waitFor()
    // Keys that come sooner are not taken for an answer to what is offered.
    .then(() => page.waitForTimeout(100))

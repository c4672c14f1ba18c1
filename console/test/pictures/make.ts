// `npm run console:pictures`: pictures of the console's pages and states into docs/console, from real runs on the built Worker. Both themes, on a
// wide and on a small screen. `--only WORD,WORD` makes those whose names contain one of them.
//
// A page or a state is a row of a table: its name, where it is, what shows that it is ready, and what is done there before.

import { mkdirSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { chromium } from "playwright-core"
import { chromiumOf } from "../../../local/browser.ts"
import { runMain } from "../../../local/trouble.ts"
import { smallPicture } from "./picture.ts"
import { SHOWN, staged } from "./shown.ts"
import { startFirst } from "../first-world.ts"
import { drawn, visit } from "../visit.ts"
import { startWorld } from "../world.ts"

const FOLDER = fileURLToPath(new URL("../../../docs/console/", import.meta.url))
const LOOKS = [1440, 390].flatMap((width) => (["light", "dark"] as const).map((theme) => ({ width, theme })))

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
  const words = values.only.split(",")
  const wanted = SHOWN.filter(({ name }) => words.some((word) => name.includes(word)))
  mkdirSync(FOLDER, { recursive: true })
  const world = await startWorld()
  const first = await startFirst(world)
  const browser = await chromium.launch({ executablePath: chromiumOf(process.env["CHROMIUM"]), args: ["--no-sandbox", "--disable-quic"] })
  try {
    const stage = await staged(world)
    let bytes = 0
    for (const { name, place, ready, act, isFirst } of wanted)
      for (const look of LOOKS) {
        const seen = await visit(browser, isFirst ? first.world : world, place(stage), look)
        try {
          await seen.page.locator(ready).first().waitFor()
          // The graph comes by itself, after the rest of the page.
          if ((await seen.page.locator(".run-page_gWrap").count()) > 0) await seen.page.locator(".graph_gIn .graph_nd").first().waitFor()
          await act?.(seen.page)
          await drawn(seen.page)
          // What lies under the mouse after the sign-in would look chosen.
          await seen.page.mouse.move(0, 0)
          const picture = smallPicture(await seen.page.screenshot({ animations: "disabled", caret: "hide" }))
          bytes += picture.length
          writeFileSync(path.join(FOLDER, `${name}-${look.width}-${look.theme}.png`), picture)
        } catch (error) {
          // The others are worth having all the same.
          console.log(`${name} at ${look.width}, ${look.theme}: ${String(error)}`)
          process.exitCode = 1
        } finally {
          await seen.context.close()
        }
      }
    console.log(`${wanted.length * LOOKS.length} pictures, ${Math.round(bytes / 1_000).toLocaleString()} KB, in docs/console`)
  } finally {
    await browser.close()
    await first.close()
    await world.close()
  }
})

// `npm run browser`: browser.* over a real Chromium [T25], in Node behind the engine's gate alone, then in workerd through the API.
// Prints `N passed, N failed`. It needs Chromium or Chrome (CHROMIUM=/path/to/it): without one it fails, by name.

import { parseArgs } from "node:util"
import { chromiumOf, startBrowsers } from "../../local/browser.ts"
import { runMain } from "../../local/trouble.ts"
import { runChecks } from "./checks.ts"
import { pageChecks } from "./page-checks.ts"
import { runInRuns } from "./run-checks.ts"
import { startSite } from "./site.ts"

await runMain(async () => {
  const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
  const wanted = ({ name }: { readonly name: string }): boolean => name.includes(values.only)
  let chromium
  try {
    chromium = chromiumOf(process.env["CHROMIUM"])
  } catch {
    console.log("FAIL [T25] there is no Chromium on this machine: install it, or say where it is with CHROMIUM=/path/to/chromium")
    console.log("0 passed, 1 failed")
    process.exitCode = 1
    return
  }
  const site = await startSite()
  const browsers = await startBrowsers(chromium, { wall: false })
  try {
    const inPages = await runChecks(pageChecks(browsers, site).filter(wanted))
    const inRuns = await runInRuns(chromium, site, wanted)
    const failed = inPages.failed + inRuns.failed
    const passed = inPages.passed + inRuns.passed
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = failed > 0 || passed === 0 ? 1 : 0
  } finally {
    await browsers.close()
    site.close()
  }
})

// A page of the browser with what went wrong on it: every dialog, error, violation of a policy, and request to somebody else.

import type { Browser, BrowserContext, Page } from "playwright-core"

export interface Seen {
  readonly page: Page
  readonly context: BrowserContext
  /** Each with its kind. Nothing may be here. */
  readonly faults: string[]
}

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly theme?: "light" | "dark"
  /** With the colors of the reader's system alone. */
  readonly isForced?: boolean
  /** Hours from UTC. */
  readonly zone?: number
}

export async function openPage(browser: Browser, origins: readonly string[], look: Look = {}): Promise<Seen> {
  const { width = 1440, height = width < 768 ? 780 : 900, theme = "light", isForced = false, zone } = look
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    forcedColors: isForced ? "active" : "none",
    // The sign is the other way around in these names.
    ...(zone === undefined ? {} : { timezoneId: `Etc/GMT${zone > 0 ? "-" : "+"}${Math.abs(zone)}` }),
    hasTouch: width < 768,
    serviceWorkers: "block",
  })
  const page = await context.newPage()
  const faults: string[] = []
  await context.exposeFunction("noteViolation", (what: string) => faults.push(`policy: ${what}`))
  await context.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample, sourceFile, columnNumber }) => {
      const what = `${effectiveDirective} ${blockedURI} ${sample} at ${sourceFile}:${columnNumber}`
      ;(globalThis as unknown as { noteViolation(what: string): void }).noteViolation(what)
    })
  })
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`))
  page.on("console", (message) => {
    // A refused request, and a line that the test cuts, are said by the browser itself.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  context.on("request", (request) => {
    if (!origins.some((origin) => request.url().startsWith(`${origin}/`)) && request.url() !== "about:blank")
      faults.push(`request: ${request.url()}`)
  })
  return { page, context, faults }
}

/** The field is empty once the message is taken: while a turn is under way the text stays in it. */
export async function send(page: Page, text: string): Promise<void> {
  const field = page.getByRole("textbox", { name: "Message", exact: true })
  do {
    await page.locator('[aria-label="Send"][aria-disabled="false"]').waitFor()
    await field.fill(text)
    await field.press("Enter")
  } while ((await field.inputValue()) !== "")
}

// Drives one browser with one page over the DevTools protocol [T25]: opened behind the gate, driven, waited for, closed.

import { defined } from "../../core/defined.ts"
import { isObject, type JsonObject } from "../../core/json.ts"
import { setOutValue } from "../../core/outside/set-out.ts"
import type { BrowserHost, PageAct, PageContent, PageSeen } from "../../ports/browser.ts"
import { inTime } from "../../ports/timers.ts"
import { Cdp, numberIn, stringIn, type CdpEvent } from "./cdp.ts"
import { PACE, PageWatch, type Pace } from "./page-watch.ts"
import { content, find, focus, SIZE, WITHOUT, type Wanted } from "./page-scripts.ts"
import { RequestGate, type Judge } from "./request-gate.ts"

const VIEW = { width: 1280, height: 800 }
/** Beyond this height Chrome paints nothing, and a screenshot takes a GB. */
const MAX_HEIGHT = 8_000 // limit: pixels of a picture's height → the picture ends there
/** Reading a page takes up to a third of a second per million characters. */
const MAX_CHARS = 2_000_000 // limit: characters read of a page → the rest is not read

export class BrowserPage {
  readonly #cdp: Cdp
  readonly #gate: RequestGate
  readonly #watch: PageWatch
  readonly #most: number
  #session = ""

  private constructor(line: ConstructorParameters<typeof Cdp>[0], judge: Judge, pace: Pace) {
    this.#cdp = new Cdp(
      line,
      (event) => this.#receive(event),
      (why) => (this.#watch.lost ??= why),
    )
    this.#gate = new RequestGate(this.#cdp, judge)
    this.#most = pace.most
    this.#watch = new PageWatch(pace, (method, params) => this.#cdp.send(method, params, this.#session))
  }

  /** Rejects if no browser is available, or if it cannot be gated. */
  static async open(host: BrowserHost, judge: Judge, signal: AbortSignal, pace = PACE): Promise<BrowserPage> {
    const page = new BrowserPage(await host.open(signal), judge, pace)
    try {
      await page.#begin()
      signal.throwIfAborted()
      return page
    } catch (e) {
      await page.close()
      throw e
    }
  }

  /** Why the page is gone. */
  get lost(): string | undefined {
    return this.#watch.lost
  }

  close(): Promise<void> {
    this.#watch.lost ??= "it was closed"
    return this.#cdp.close()
  }

  async navigate(url: string, signal: AbortSignal): Promise<PageSeen> {
    this.#watch.expect(true)
    const reply = await this.#watch.stoppable(this.#call("Page.navigate", { url }), signal)
    const wrong = stringIn(reply, "errorText")
    if (wrong !== undefined) {
      this.#watch.expect(false)
      const [refused] = this.#gate.taken()
      if (refused?.isDocument === true && wrong.includes("BLOCKED_BY_CLIENT")) throw new Error(`address refused: ${refused.why}`)
      throw new Error(
        wrong.includes("ABORTED") ? `${url} is not a page: it is a download, or has no content` : `${url} cannot be opened: ${wrong}`,
      )
    }
    await this.#watch.settled(signal)
    return this.#seen()
  }

  async click({ selector, label, page }: PageAct, signal: AbortSignal): Promise<PageSeen> {
    await this.#isOn(page)
    const wanted = named(selector, label)
    const spot = await this.#look(find(wanted))
    const fault = stringIn(spot, "fault")
    if (fault !== undefined) throw new Error(`${shown(wanted)} ${fault}: browser.content as "controls" lists the page's elements`)
    if (isObject(spot) && spot["disabled"] === true) throw new Error(`${shown(wanted)} is disabled`)
    const covered = stringIn(spot, "covered")
    if (covered !== undefined) throw new Error(`${shown(wanted)} is covered by ${covered}: deal with that first`)
    const at = { x: numberIn(spot, "x") ?? 0, y: numberIn(spot, "y") ?? 0 }
    this.#watch.expect()
    await this.#page("Input.dispatchMouseEvent", { type: "mouseMoved", ...at })
    await this.#page("Input.dispatchMouseEvent", { type: "mousePressed", button: "left", clickCount: 1, ...at })
    await this.#page("Input.dispatchMouseEvent", { type: "mouseReleased", button: "left", clickCount: 1, ...at })
    await this.#watch.settled(signal)
    return this.#seen()
  }

  async type(
    act: PageAct & { readonly text: string; readonly append: boolean; readonly submit: boolean },
    signal: AbortSignal,
  ): Promise<PageSeen> {
    const { selector, label, text, append, submit, page } = act
    await this.#isOn(page)
    const wanted = named(selector, label)
    const reply = await this.#look(focus({ ...wanted, text, append }))
    const fault = stringIn(reply, "fault")
    if (fault !== undefined) throw new Error(`${shown(wanted)} ${fault}`)
    this.#watch.expect()
    if (stringIn(reply, "done") === "focused") {
      if (text !== "") await this.#page("Input.insertText", { text })
      else if (!append) await this.#key("Delete", 46)
    }
    if (submit) await this.#key("Enter", 13, "\r")
    await this.#watch.settled(signal)
    return this.#seen()
  }

  async content(as: "html" | "text" | "controls", selector: string | undefined): Promise<PageContent> {
    const reply = await this.#look(content({ as, most: MAX_CHARS, ...defined({ selector }) }))
    const fault = stringIn(reply, "fault")
    if (fault !== undefined) throw new Error(`${JSON.stringify(selector)} ${fault}`)
    return { ...(await this.#seen()), body: stringIn(reply, "body") ?? "", cut: isObject(reply) && reply["cut"] === true }
  }

  async screenshot(whole: boolean, signal: AbortSignal): Promise<PageSeen & { readonly png: Uint8Array }> {
    const size = whole ? await this.#look(SIZE) : undefined
    const height = Math.min(numberIn(size, "height") ?? VIEW.height, MAX_HEIGHT)
    const clip = { x: 0, y: 0, width: Math.min(numberIn(size, "width") ?? VIEW.width, 2 * VIEW.width), height, scale: 1 }
    const picture = this.#call("Page.captureScreenshot", { format: "png", ...(whole ? { captureBeyondViewport: true, clip } : {}) })
    const data = stringIn(await this.#watch.stoppable(picture, signal), "data")
    if (data === undefined) throw new Error("the browser returned no screenshot")
    if (whole && (numberIn(size, "height") ?? 0) > MAX_HEIGHT)
      this.#watch.note(`the page is longer: only its first ${MAX_HEIGHT} pixels are shown`)
    return { ...(await this.#seen()), png: Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) }
  }

  async evaluate(script: string, page: string | undefined, signal: AbortSignal): Promise<PageSeen & { readonly value: string }> {
    await this.#isOn(page)
    this.#watch.expect()
    const asked = { expression: script, awaitPromise: true, returnByValue: true }
    const value = valueIn(await this.#watch.stoppable(this.#call("Runtime.evaluate", asked), signal))
    await this.#watch.settled(signal)
    return { ...(await this.#seen()), value: value === undefined ? "undefined" : setOutValue(value) }
  }

  async #begin(): Promise<void> {
    // Must come first: a page opened before this would have no gate.
    await this.#gate.close()
    await this.#cdp.call("Browser.setDownloadBehavior", { behavior: "deny" })
    await this.#cdp.call("Target.setDiscoverTargets", { discover: true, filter: [{ type: "page" }] })
    // A fresh context: no cookies, cache or storage from earlier use of this browser.
    const { browserContextId } = await this.#cdp.call("Target.createBrowserContext", { disposeOnDetach: true })
    const context = typeof browserContextId === "string" ? { browserContextId } : {}
    await this.#cdp.call("Browser.setDownloadBehavior", { behavior: "deny", ...context })
    // No permissions: prompts are denied, so no page waits for an answer.
    await this.#cdp.call("Browser.grantPermissions", { permissions: [], ...context })
    this.#watch.target =
      stringIn(await this.#cdp.call("Target.createTarget", { url: "about:blank", ...VIEW, ...context }), "targetId") ?? ""
    const attached = await this.#cdp.call("Target.attachToTarget", { targetId: this.#watch.target, flatten: true })
    this.#session = stringIn(attached, "sessionId") ?? ""
    await this.#page("Page.enable")
    await this.#page("Network.enable")
    await this.#page("Page.addScriptToEvaluateOnNewDocument", { source: WITHOUT })
    await this.#page("Page.setPrerenderingAllowed", { isAllowed: false })
    await this.#page("Page.setInterceptFileChooserDialog", { enabled: true })
    await this.#page("Network.setBypassServiceWorker", { bypass: true })
    await this.#page("Emulation.setDeviceMetricsOverride", { ...VIEW, deviceScaleFactor: 1, mobile: false })
  }

  #receive({ method, params, session }: CdpEvent): void {
    switch (method) {
      case "Fetch.requestPaused":
        return this.#gate.paused(params, session)
      case "Target.targetCreated": {
        const id = stringIn(params["targetInfo"], "targetId")
        // Skips the page that was open when the browser started, before ours.
        if (this.#watch.target === "" || id === undefined || id === this.#watch.target) return
        return this.#cdp.send("Target.closeTarget", { targetId: id })
      }
      case "Target.targetDestroyed":
      case "Target.targetCrashed":
        if (stringIn(params, "targetId") === this.#watch.target)
          this.#watch.lost ??= method.endsWith("Crashed") ? "it crashed" : "it closed itself"
        return
    }
    if (session !== this.#session) return
    if (method === "Page.frameNavigated") return this.#committed(params["frame"])
    this.#watch.receive(method, params)
  }

  /** A document that Chrome prefetched through a page's speculation rules did not pass the gate: it was not judged, and lacks our
   *  policy. The browser is closed without reading it. */
  #committed(frame: unknown): void {
    const isMain = stringIn(frame, "id") === this.#watch.target
    const url = stringIn(frame, "url") ?? ""
    if (!isMain || !/^https?:/i.test(url) || this.#gate.passed(stringIn(frame, "loaderId") ?? "")) return
    this.#watch.lost ??= `it reached a prefetched document that bypassed the request gate, ${url}`
    void this.close()
  }

  async #seen(): Promise<PageSeen> {
    const { frame } = (await this.#frame()) ?? {}
    const title = await this.#look("document.title").catch(() => "")
    for (const { url, why } of this.#gate.taken()) this.#watch.note(`refused: ${url} (${why})`)
    const { status } = this.#watch
    const url = (stringIn(frame, "url") ?? "") + (stringIn(frame, "urlFragment") ?? "")
    return {
      url: stringIn(frame, "unreachableUrl") ?? url,
      title: typeof title === "string" ? title : "",
      ...defined({ status }),
      notes: this.#watch.notes(),
    }
  }

  async #frame(): Promise<{ readonly frame: unknown } | undefined> {
    const { frameTree } = await this.#page("Page.getFrameTree")
    return isObject(frameTree) ? { frame: frameTree["frame"] } : undefined
  }

  /** Runs isolated from the page's own scripts. */
  async #look(script: string): Promise<unknown> {
    const { executionContextId } = await this.#page("Page.createIsolatedWorld", { frameId: this.#watch.target, worldName: "sluice" })
    return valueIn(await this.#page("Runtime.evaluate", { expression: script, contextId: executionContextId ?? 0, returnByValue: true }))
  }

  async #isOn(page: string | undefined): Promise<void> {
    if (page === undefined) return
    const { frame } = (await this.#frame()) ?? {}
    const url = stringIn(frame, "url") ?? ""
    const host = (text: string): string => (URL.canParse(text) ? new URL(text).host : text)
    if (host(url) !== host(page)) throw new Error(`the open page is ${url}, which is not on ${host(page)}: nothing was done`)
  }

  async #key(key: string, code: number, text?: string): Promise<void> {
    const it = { key, code: key, windowsVirtualKeyCode: code, nativeVirtualKeyCode: code }
    await this.#page("Input.dispatchKeyEvent", { type: text === undefined ? "rawKeyDown" : "keyDown", ...it, ...defined({ text }) })
    await this.#page("Input.dispatchKeyEvent", { type: "keyUp", ...it })
  }

  /** A page call with a time limit; calls that may take any time use `#call` and end with their tool call. */
  async #page(method: string, params: JsonObject = {}): Promise<JsonObject> {
    return inTime(this.#call(method, params), this.#most, () => {
      // A script that never ends blocks every call to its page.
      throw new Error((this.#watch.lost ??= "it does not respond: its scripts block it"))
    })
  }

  #call(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#cdp.call(method, params, this.#session)
  }
}

const named = (selector: string | undefined, label: string | undefined): Wanted =>
  selector === undefined ? { label: label ?? "" } : { selector }

const shown = ({ selector, label }: Wanted): string => JSON.stringify((selector ?? label ?? "").slice(0, 200))

/** The value of Runtime.evaluate; throws if the script threw. */
function valueIn(reply: JsonObject): unknown {
  const { result, exceptionDetails } = reply
  if (isObject(exceptionDetails)) {
    const said = stringIn(exceptionDetails["exception"], "description") ?? stringIn(exceptionDetails, "text") ?? "no reason given"
    throw new Error(`the page's script failed: ${said}`)
  }
  return isObject(result) ? result["value"] : undefined
}

// Manages the browsers of a run: one per agent session that uses one [T25]. They exist only in the memory of the run's object: after a restart they
// are lost, and a session must open its page again. A browser ends with its session, with its run, or after a while without calls.

import { isOver, stepState, type Run } from "../../core/run/state.ts"
import type { Browser, BrowserHost } from "../../ports/browser.ts"
import { later } from "../../ports/timers.ts"
import type { BrowserPage } from "./page.ts"
import type { Pace } from "./page-watch.ts"
import type { Judge } from "./request-gate.ts"

/** Long enough for a model to think and a person to answer between calls; but an open browser is billed by the hour. */
export const IDLE_MS = 120_000 // limit: milliseconds that a browser may be idle → it is closed

interface Slot {
  readonly step: string
  readonly pass: number
  page: BrowserPage | undefined
  /** Why the page is gone. */
  gone: string | undefined
  judge: Judge
  /** Runs calls one after another: a model may make several at once. */
  turn: Promise<unknown>
  endRest: (() => void) | undefined
}

export class SessionBrowsers {
  readonly #host: BrowserHost
  readonly #idle: number
  readonly #pace: Pace | undefined
  readonly #slots = new Map<string, Slot>()

  constructor(host: BrowserHost, { idle = IDLE_MS, pace }: { readonly idle?: number; readonly pace?: Pace } = {}) {
    this.#host = host
    this.#idle = idle
    this.#pace = pace
  }

  /** The browser for one call of this session. `judge` applies to the page's requests from now on, also between calls. */
  of(step: string, pass: number, judge: Judge): Browser {
    const key = `${step}#${pass}`
    const inTurn = <T>(work: (slot: Slot) => Promise<T>): Promise<T> => {
      const slot = this.#slots.get(key) ?? {
        step,
        pass,
        page: undefined,
        gone: undefined,
        judge,
        turn: Promise.resolve(),
        endRest: undefined,
      }
      this.#slots.set(key, slot)
      const mine = slot.turn.then(async () => {
        slot.endRest?.()
        slot.judge = judge
        try {
          return await work(slot)
        } finally {
          this.#rest(key, slot)
        }
      })
      slot.turn = mine.catch(() => undefined)
      return mine
    }
    const withPage = <T>(work: (page: BrowserPage) => Promise<T>): Promise<T> =>
      inTurn(async (slot) => {
        const page = openPage(slot)
        if (!page) throw new Error(noPage(slot))
        return reported(slot, page, () => work(page))
      })
    return {
      navigate: (url, signal) =>
        inTurn(async (slot) => {
          const why = judge(url)
          if (why !== undefined) throw new Error(`address refused: ${why}`)
          signal.throwIfAborted()
          const page = openPage(slot) ?? (await this.#open(key, slot, signal))
          return reported(slot, page, () => page.navigate(url, signal))
        }),
      click: (act, signal) => withPage((page) => page.click(act, signal)),
      type: (act, signal) => withPage((page) => page.type(act, signal)),
      content: (as, selector) => withPage((page) => page.content(as, selector)),
      screenshot: (whole, signal) => withPage((page) => page.screenshot(whole, signal)),
      evaluate: (script, on, signal) => withPage((page) => page.evaluate(script, on, signal)),
    }
  }

  /** Closes the browsers of sessions that are over, and all of them when the run ends. Costs nothing without browsers. */
  follow(run: Run): void {
    for (const [key, { step, pass }] of this.#slots) {
      const now = isOver(run) ? undefined : stepState(run, step)
      if (now?.session === undefined || now.pass !== pass) this.#drop(key)
    }
  }

  /** Closes all browsers. */
  close(): void {
    for (const key of this.#slots.keys()) this.#drop(key)
  }

  async #open(key: string, slot: Slot, signal: AbortSignal): Promise<BrowserPage> {
    // Loaded with the first page: most runs open none.
    const { BrowserPage } = await import("./page.ts")
    signal.throwIfAborted()
    if (this.#slots.get(key) !== slot) throw new Error("the session is over")
    const page = await BrowserPage.open(this.#host, (url) => slot.judge(url), signal, this.#pace)
    // The session ended while the browser was starting.
    if (this.#slots.get(key) !== slot) {
      await page.close()
      throw new Error("the session is over")
    }
    slot.page = page
    slot.gone = undefined
    return page
  }

  #rest(key: string, slot: Slot): void {
    if (this.#slots.get(key) !== slot) return
    slot.endRest?.()
    slot.endRest = later(() => {
      slot.gone = `it was closed after ${this.#idle / 1_000} s without a call`
      void slot.page?.close()
      slot.page = undefined
    }, this.#idle)
  }

  #drop(key: string): void {
    const slot = this.#slots.get(key)
    this.#slots.delete(key)
    slot?.endRest?.()
    void slot?.page?.close()
  }
}

function openPage(slot: Slot): BrowserPage | undefined {
  if (slot.page?.lost === undefined) return slot.page
  slot.gone = slot.page.lost
  void slot.page.close()
  slot.page = undefined
  return undefined
}

/** If the page was lost during a call, that explains more than the call's own error. */
async function reported<T>(slot: Slot, page: BrowserPage, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (e) {
    if (page.lost === undefined) throw e
    openPage(slot)
    throw new Error(noPage(slot), { cause: e })
  }
}

const noPage = ({ gone }: Slot): string =>
  gone === undefined
    ? "no page is open in this session: call browser.navigate first. A page does not outlive a restart of its run"
    : `the page is gone (${gone}): call browser.navigate again`

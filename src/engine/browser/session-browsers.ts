// The browsers of one run: one for each agent session that asked for one [T25]. They live in the memory of the run's object and nowhere
// else: after a restart there is none, and whoever wants to go on with a page is told to open it again. A browser ends with its session,
// with its run, and when nothing was asked of it for a while.

import { isOver, stepState, type Run } from "../../core/run/state.ts"
import type { Browser, BrowserHost } from "../../ports/browser.ts"
import { Page } from "./page.ts"
import { PACE, type Pace } from "./page-watch.ts"
import type { Judge } from "./request-gate.ts"

/** A model thinks and a person is asked in between; but a browser that is open is paid for by the hour. */
export const IDLE_MS = 120_000

interface Held {
  readonly step: string
  readonly pass: number
  page: Page | undefined
  /** Why there is none any more. */
  gone: string | undefined
  judge: Judge
  /** Calls one after another: a model may ask for several at once. */
  turn: Promise<unknown>
  timer: ReturnType<typeof setTimeout> | undefined
}

export class SessionBrowsers {
  readonly #host: BrowserHost
  readonly #idle: number
  readonly #pace: Pace
  readonly #held = new Map<string, Held>()

  constructor(host: BrowserHost, { idle = IDLE_MS, pace = PACE }: { readonly idle?: number; readonly pace?: Pace } = {}) {
    this.#host = host
    this.#idle = idle
    this.#pace = pace
  }

  /** What one call of this session may do. `judge` holds for what the page asks from now on, also between calls. */
  of(step: string, pass: number, judge: Judge): Browser {
    const key = `${step}#${pass}`
    const inTurn = <T>(work: (held: Held) => Promise<T>): Promise<T> => {
      const held = this.#held.get(key) ?? { step, pass, page: undefined, gone: undefined, judge, turn: Promise.resolve(), timer: undefined }
      this.#held.set(key, held)
      const mine = held.turn.then(async () => {
        clearTimeout(held.timer)
        held.judge = judge
        try {
          return await work(held)
        } finally {
          this.#rest(key, held)
        }
      })
      held.turn = mine.catch(() => undefined)
      return mine
    }
    const withPage = <T>(work: (page: Page) => Promise<T>): Promise<T> =>
      inTurn(async (held) => {
        const page = standing(held)
        if (!page) throw new Error(noPage(held))
        return told(held, page, () => work(page))
      })
    return {
      navigate: (url, signal) =>
        inTurn(async (held) => {
          const why = judge(url)
          if (why !== undefined) throw new Error(`address refused: ${why}`)
          signal.throwIfAborted()
          const page = standing(held) ?? (await this.#open(key, held, signal))
          return told(held, page, () => page.navigate(url, signal))
        }),
      click: (act, signal) => withPage((page) => page.click(act, signal)),
      type: (act, signal) => withPage((page) => page.type(act, signal)),
      content: (as, selector) => withPage((page) => page.content(as, selector)),
      screenshot: (whole, signal) => withPage((page) => page.screenshot(whole, signal)),
      evaluate: (script, on, signal) => withPage((page) => page.evaluate(script, on, signal)),
    }
  }

  /** Browsers of sessions that are over are closed; with the run's end, all of them. Costs nothing while there are none. */
  follow(run: Run): void {
    for (const [key, { step, pass }] of this.#held) {
      const now = isOver(run) ? undefined : stepState(run, step)
      if (now?.session === undefined || now.pass !== pass) this.#drop(key)
    }
  }

  /** All of them, at once. */
  close(): void {
    for (const key of this.#held.keys()) this.#drop(key)
  }

  async #open(key: string, held: Held, signal: AbortSignal): Promise<Page> {
    const page = await Page.open(this.#host, (url) => held.judge(url), signal, this.#pace)
    // The session ended while the browser was started.
    if (this.#held.get(key) !== held) {
      await page.close()
      throw new Error("the session is over")
    }
    held.page = page
    held.gone = undefined
    return page
  }

  #rest(key: string, held: Held): void {
    if (this.#held.get(key) !== held) return
    clearTimeout(held.timer)
    held.timer = setTimeout(() => {
      held.gone = `it was closed after ${this.#idle / 1_000} s without a call`
      void held.page?.close()
      held.page = undefined
    }, this.#idle)
  }

  #drop(key: string): void {
    const held = this.#held.get(key)
    this.#held.delete(key)
    clearTimeout(held?.timer)
    void held?.page?.close()
  }
}

function standing(held: Held): Page | undefined {
  if (held.page?.lost === undefined) return held.page
  held.gone = held.page.lost
  void held.page.close()
  held.page = undefined
  return undefined
}

/** A page that was lost in the middle of a call says more than what the call failed with. */
async function told<T>(held: Held, page: Page, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (e) {
    if (page.lost === undefined) throw e
    standing(held)
    throw new Error(noPage(held), { cause: e })
  }
}

const noPage = ({ gone }: Held): string =>
  gone === undefined
    ? "no page is open in this session: call browser.navigate first. A page does not outlive a restart of its run"
    : `the page is gone (${gone}): call browser.navigate again`

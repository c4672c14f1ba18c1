// A run as it happens: its view, its journal by a stream that resumes, and the text of turns that are not over. A page out of sight holds no stream. Frames are told to the story
// in a pass for each frame of the screen; a long journal is told in slices, so that the page stays quick while it comes.

import type { RunEvent } from "../../../src/core/run/event.ts"
import type { GraphView } from "../../../src/core/flow/check/graph-view.ts"
import type { RunView } from "../../../src/core/run/views/view.ts"
import { isFinal, type LineState } from "../../../src/client/follow.ts"
import type { Frame } from "../../../src/client/frame.ts"
import { pause } from "../../../src/client/transport/transport.ts"
import { faultOf } from "../parts/fault.ts"
import type { Api } from "../shell/session.ts"
import { HIDDEN_MS } from "../shell/stream.ts"
import { type RunOutline } from "../../../src/core/run/views/outline.ts"
import { addEvent, newOutline } from "../../../src/core/run/views/read-outline.ts"

/** Milliseconds of one slice. */
const SLICE_MS = 8
/** Frames that are parsed in one task. */
const PIECE = 100
/** While a journal of the past comes in, the page is drawn this often. */
const CATCH_UP_MS = 200
/** The view (budget, questions below) is read again so long after an event. */
const VIEW_MS = 1_500
/** After the client gives up, it begins again. */
const AGAIN_MS = 5_000

export interface Snapshot {
  readonly view: RunView | undefined
  readonly graph: GraphView | undefined
  /** The same object, told further: `version` says when it has changed. */
  readonly story: RunOutline
  readonly events: readonly RunEvent[]
  readonly version: number
  readonly line: { readonly state: "open" | "lost"; readonly until: number }
  /** All of the journal that there was at the beginning has been told. */
  readonly isCaughtUp: boolean
  readonly fault: string | undefined
}

export class RunFeed {
  readonly #api: Api
  readonly #run: string
  /** undefined: it rests. */
  #stop: AbortController | undefined
  #hidden: ReturnType<typeof setTimeout> | undefined
  /** The journal has ended, and all of it is here. */
  #isWhole = false
  readonly #listeners = new Set<() => void>()
  readonly #events: RunEvent[] = []
  /** step → the text of its unfinished turn. */
  readonly #partial = new Map<string, string>()
  readonly #partialListeners = new Set<() => void>()
  #queue: Frame[] = []
  #snapshot: Snapshot
  #frame = 0
  #drawn = 0
  #viewTimer: ReturnType<typeof setTimeout> | undefined

  constructor(api: Api, run: string) {
    this.#api = api
    this.#run = run
    this.#snapshot = {
      view: undefined,
      graph: undefined,
      story: newOutline(),
      events: this.#events,
      version: 0,
      line: { state: "open", until: 0 },
      isCaughtUp: false,
      fault: undefined,
    }
  }

  readonly snapshot = (): Snapshot => this.#snapshot
  readonly listen = (changed: () => void): (() => void) => {
    this.#listeners.add(changed)
    return () => this.#listeners.delete(changed)
  }
  readonly partial = (step: string): string => this.#partial.get(step) ?? ""
  readonly listenPartial = (changed: () => void): (() => void) => {
    this.#partialListeners.add(changed)
    return () => this.#partialListeners.delete(changed)
  }

  /** It goes on where it stopped. */
  start(): void {
    document.addEventListener("visibilitychange", this.#seen)
    this.#go()
    if (document.visibilityState === "hidden") this.#seen()
  }

  stop(): void {
    document.removeEventListener("visibilitychange", this.#seen)
    this.#rest()
  }

  readonly #seen = (): void => {
    clearTimeout(this.#hidden)
    if (document.visibilityState === "hidden") this.#hidden = setTimeout(() => this.#rest(), HIDDEN_MS)
    else this.#go()
  }

  #go(): void {
    if (this.#stop) return
    this.#stop = new AbortController()
    void this.#open(this.#stop.signal)
  }

  #rest(): void {
    this.#stop?.abort()
    this.#stop = undefined
    clearTimeout(this.#hidden)
    clearTimeout(this.#viewTimer)
    this.#viewTimer = undefined
  }

  /** After something was done to the run. */
  look(view?: RunView): void {
    if (view) this.#set({ view })
    else void this.#readView()
  }

  async #open(signal: AbortSignal): Promise<void> {
    try {
      const isFirst = this.#snapshot.view === undefined
      const view = await this.#api.runs.get(this.#run)
      if (signal.aborted) return
      this.#set({ view, fault: undefined, ...(isFirst ? { isCaughtUp: view.seq === 0 } : {}) })
      if (this.#isWhole && view.seq <= this.#snapshot.story.seq) return
      if (!isFirst) return await this.#follow(signal)
      const { revision } = view.pinned
      // A flow that is gone has no graph; its steps stand in a chain.
      const graph = await this.#api.flows
        .graph(view.flow, typeof revision === "number" ? revision : undefined)
        .catch(() => this.#api.flows.graph(view.flow).catch(() => undefined))
      this.#set({ graph: graph && fits(graph, view) ? graph : undefined })
    } catch (error) {
      if (!signal.aborted) this.#set({ fault: faultOf(error) })
      return
    }
    await this.#follow(signal)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const onLine = (line: LineState): void => {
      if (!signal.aborted) this.#set({ line: { state: line.state, until: line.state === "lost" ? Date.now() + line.again : 0 } })
    }
    while (!signal.aborted) {
      try {
        for await (const frame of this.#api.runs.events(this.#run, { after: this.#last(), transient: true, signal, onLine })) {
          if (signal.aborted) return
          this.#queue.push(frame)
          this.#wake()
          // What has come at once is parsed in pieces, so that no task is long.
          if (this.#queue.length % PIECE === 0) await new Promise((next) => setTimeout(next))
        }
        if (signal.aborted) return
        this.#isWhole = true
        this.#set({ line: { state: "open", until: 0 } })
        void this.#readView()
        return
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error)) return this.#set({ fault: faultOf(error) })
        await pause(AGAIN_MS, signal).catch(() => undefined)
      }
    }
  }

  #last(): number {
    const queued = this.#queue.findLast((frame) => "seq" in frame)
    return queued && "seq" in queued ? queued.seq : (this.#events.at(-1)?.seq ?? 0)
  }

  #wake(): void {
    // A page out of sight gets no frames, and is told all the same.
    if (this.#frame === 0)
      this.#frame = document.visibilityState === "hidden" ? window.setTimeout(this.#tell, CATCH_UP_MS) : requestAnimationFrame(this.#tell)
  }

  readonly #tell = (): void => {
    this.#frame = 0
    const until = performance.now() + SLICE_MS
    let at = 0
    let isText = false
    for (; at < this.#queue.length && performance.now() < until; at++) {
      const frame = this.#queue[at]
      if (!frame) continue
      if ("seq" in frame) {
        this.#events.push(frame)
        addEvent(this.#snapshot.story, frame)
        if (frame.type === "model.replied" || frame.type === "model.failed") {
          this.#partial.delete(frame.step)
          isText = true
        }
      } else if (frame.type === "model.delta") {
        this.#partial.set(frame.step, frame.whole === true ? frame.text : this.partial(frame.step) + frame.text)
        isText = true
      }
    }
    const isEvent = this.#queue.slice(0, at).some((frame) => "seq" in frame)
    this.#queue = this.#queue.slice(at)
    if (isText) for (const listener of this.#partialListeners) listener()
    const isCaughtUp = this.#snapshot.isCaughtUp || this.#snapshot.story.seq >= (this.#snapshot.view?.seq ?? 0)
    const isDue = isCaughtUp || performance.now() - this.#drawn > CATCH_UP_MS
    if (isEvent && isDue) {
      this.#drawn = performance.now()
      this.#set({ version: this.#snapshot.version + 1, isCaughtUp })
      if (this.#snapshot.isCaughtUp && this.#snapshot.story.seq > (this.#snapshot.view?.seq ?? 0)) this.#viewSoon()
    }
    if (this.#queue.length > 0) this.#wake()
  }

  #viewSoon(): void {
    this.#viewTimer ??= setTimeout(() => {
      this.#viewTimer = undefined
      void this.#readView()
    }, VIEW_MS)
  }

  async #readView(): Promise<void> {
    // The next event asks again.
    const view = await this.#api.runs.get(this.#run).catch(() => undefined)
    if (view) this.#set({ view })
  }

  #set(changes: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changes }
    for (const listener of this.#listeners) listener()
  }
}

/** A flow that was changed since may not have the run's steps. */
function fits({ nodes }: GraphView, { steps }: RunView): boolean {
  const known = new Set(nodes.map(({ id }) => id))
  return Object.keys(steps).every((id) => known.has(id))
}

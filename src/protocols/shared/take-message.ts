// Takes a message of any protocol [P1, P2, P6–P8]: it answers the one question that its thread's newest run asks, or it starts a run.
// Answers and starts pass the same checks as over the API.

import { conversationOf, taskOf } from "../../core/run/protocol/conversation.ts"
import { answerOfText } from "../../core/run/protocol/person-text.ts"
import { originsOf, type Origin } from "../../core/flow/origin.ts"
import { asksPeople, type RunView } from "../../core/run/views/view.ts"
import { answerQuestion, openQuestions } from "../../engine/run/open-questions.ts"
import { pause } from "../../ports/timers.ts"
import { isObject } from "../../core/json.ts"
import { err, ok, type Result } from "../../core/result.ts"
import { pointerStep } from "../../core/text/pointer.ts"
import { StartBody } from "../../api/run/runs.ts"
import { check } from "../../http/middleware/body.ts"
import type { Call } from "../../http/middleware/call.ts"
import { lackOf } from "../../http/middleware/door.ts"
import { beginRun, threadBusy, type FlowTarget } from "../../http/runs/begin-run.ts"
import { callbackFaults } from "../../http/runs/callback-faults.ts"
import { invalid, type Refusal } from "../../http/middleware/problem.ts"
import { answersOutside, isStranger } from "../../http/middleware/stranger.ts"
import { NOTHING_ATTACHED, type Attached } from "./attachments.ts"
import { isFromOutside, type Heard } from "./client-history.ts"
import { takeOnce, type Taken } from "./take-once.ts"
import { boundStart, strangeThread } from "./chat-bounds.ts"

export interface MessageWish {
  readonly target: FlowTarget
  /** Absent: the run's own id. */
  readonly thread?: string | undefined
  /** The client's id of the message, the same for each try; absent: every request is a new one. */
  readonly clientId?: string | undefined
  /** The body that came with `clientId`, where that is an Idempotency-Key: another body is another request [H4]. */
  readonly request?: unknown
  /** A run that the message itself points to, by a signed link or by an id. */
  readonly about?: string | undefined
  /** It starts a run, whatever its thread does [P7]. */
  readonly isOwn?: true
  /** What must be there when the run starts; its answer refuses the start. */
  readonly prepare?: (run: string) => Promise<Refusal | undefined>
  readonly text: string
  readonly attached: Attached
  readonly before: readonly Heard[]
  /** Members of a start's body. `pointer`: where they stand. */
  readonly start: Readonly<Record<string, unknown>>
  readonly pointer: string
  /** false: it only asks for another answer, so it answers no question. */
  readonly decides?: boolean
  /** Where a fault of the inputs stands. */
  readonly more?: Readonly<Record<string, unknown>>
  /** What the protocol does itself with the thread's newest run. undefined: the message decides. */
  readonly own?: (newest: RunView | undefined) => Promise<Result<Taken, NotTaken> | undefined>
}

export type NotTaken = Refusal | "no_flow"

/** How often a message is tried again that another one overtook. */
const RACES = 40
const RACE_PAUSE = 25
/** Looks for a run that has claimed the thread and is about to start, before it counts as lost: six seconds, because a start that fails gives its
 *  claim back, and on a busy machine one that succeeds may take more than two. */
const CLAIM_LOOKS = 60
const BUSY_PAUSE = 100

export async function takeMessage(c: Call, asked: MessageWish): Promise<Result<Taken, NotTaken>> {
  // [P9] Whatever the protocol has checked, a chat token gets no further than its thread.
  const strange = strangeThread(c, asked.thread)
  if (strange) return err(strange)
  const start = boundStart(c, asked.start)
  if (!start.ok) return err(under(start.error, asked.pointer))
  const wish = { ...asked, start: start.value }
  const { target, thread = "", clientId } = wish
  if (clientId === undefined) return decide(c, wish, undefined)
  return takeOnce<NotTaken>(c, { flow: target.flow, thread, clientId, request: wish.request }, (name) => decide(c, wish, name))
}

async function decide(c: Call, wish: MessageWish, name: string | undefined): Promise<Result<Taken, NotTaken>> {
  const { runList, run, runId } = c.get("tenant")
  const id = await runId(name)
  const { flow } = wish.target
  if (wish.isOwn === true) {
    if (name !== undefined && (await run(id).view())) return ok({ run: id, after: 0 })
    const refused = await wish.prepare?.(id)
    return refused ? err(refused) : begin(c, wish, id, undefined)
  }
  // Each has its own bound: a message waits for a claim without using up its tries.
  let [races, looks] = [0, 0]
  while (races < RACES) {
    const { thread } = wish
    let newest = wish.about ?? (thread === undefined ? null : await runList.newestOf(flow, thread))
    let view = newest === null ? undefined : await run(newest).view()
    // A repeated start, whose first try did not live to say so.
    if (newest === id && view) return ok({ run: id, after: 0 })
    // Its first try has claimed the thread, and started nothing: what it met there is still to be met.
    const isClaimed = newest === id && thread !== undefined
    if (isClaimed) {
      newest = await runList.newestOf(flow, thread, id)
      view = newest === null ? undefined : await run(newest).view()
    }
    const giveBack = async (): Promise<void> => (isClaimed ? runList.release(flow, thread, id) : undefined)
    const own = await wish.own?.(view)
    if (own) {
      await giveBack()
      return own
    }
    if (view && view.ended === undefined) {
      if (asksPeople(view)) {
        const answered = await answer(c, wish, view)
        if (answered !== "raced") {
          await giveBack()
          return answered
        }
        races++
        await pause(RACE_PAUSE, c.req.raw.signal)
        continue
      }
      // [R16] A start with a key or a window may stand beside it.
      if (wish.about === undefined && view.status !== "queued" && view.start === undefined) {
        await giveBack()
        return err(threadBusy(view))
      }
    } else if (newest !== null && newest !== id && !view && wish.about === undefined && looks++ < CLAIM_LOOKS) {
      // Another message has claimed the thread and its run is about to start.
      await pause(BUSY_PAUSE, c.req.raw.signal)
      continue
    }
    if (thread !== undefined && (await runList.claim(flow, thread, id, isClaimed ? id : newest)) !== id) {
      races++
      continue
    }
    let begun: Result<Taken, NotTaken> | undefined
    try {
      return (begun = await begin(c, wish, id, view))
    } finally {
      // [R16] What joined another run has none of its own.
      if (thread !== undefined && !(begun?.ok === true && begun.value.run === id)) await runList.release(flow, thread, id)
    }
  }
  return err({ code: "thread_busy", detail: "Other messages came to this thread at the same time; send this one again." })
}

async function begin(c: Call, wish: MessageWish, id: string, newest: RunView | undefined): Promise<Result<Taken, NotTaken>> {
  const { target, thread, text, attached, start, pointer } = wish
  // A later message may name the run's own thread, and finds its session.
  const given = { ...start, ...wish.more, thread: thread ?? id }
  const { files } = start
  const body = check(StartBody, { ...given, files: files === undefined || isObject(files) ? { ...files, ...attached.files } : files })
  if (!body.ok) return err(under(body.error, pointer, attached.places))
  const faults = body.value.callback ? await callbackFaults(c, body.value.callback, "/callback") : []
  if (faults.length > 0) return err(under(invalid(faults), pointer))
  const heard = conversationOf(wish.before)
  const conversation = heard.map(({ role, text: said }) => ({ role, text: said }))
  const outside = await outsideOf(c, wish, heard, { trusted: body.value.trusted ?? [], newest })
  const said = [text, ...(attached.lines.length === 0 ? [] : [attached.lines.join("\n")])].filter((part) => part !== "").join("\n\n")
  const begun = await beginRun(c, {
    ...(newest && newest.ended === undefined && wish.about === undefined ? { beside: newest } : {}),
    target,
    body: body.value,
    id,
    isDerived: false,
    message: {
      taskOf: (remembers) => taskOf(remembers, conversation, said),
      conversation,
      outside,
      attached: Object.keys(attached.files),
    },
  })
  return begun.ok
    ? ok({ run: begun.value.view.id, after: 0 })
    : err(begun.error === "no_flow" ? "no_flow" : under(begun.error, pointer, attached.places))
}

/** [G11] What of the message is not the tenant's own words. What the flow trusts is known when it is pinned. */
async function outsideOf(
  c: Call,
  { target, thread, attached }: MessageWish,
  heard: readonly Heard[],
  { trusted, newest }: { readonly trusted: readonly Origin[]; readonly newest: RunView | undefined },
): Promise<Origin[]> {
  const all: Origin[] = []
  const isMarked = heard.length > 0 && newest?.tainted === true
  const looks = !trusted.includes("history") && !(c.get("caller").chat?.trusted?.includes("history") === true)
  if (looks && (isMarked || (await isFromOutside(c, { flow: target.flow, thread }, heard)))) all.push("history")
  if (attached.lines.length > 0) all.push("attachments")
  if (isStranger(c, "message")) all.push("message")
  return originsOf(all)
}

/** Faults where the client wrote it: members of the start under `pointer`, a file of the message where it stands. */
function under(refusal: Refusal, pointer: string, places: Attached["places"] = NOTHING_ATTACHED.places): Refusal {
  if (refusal.errors === undefined) return refusal
  const files = new Map([...places].map(([path, at]) => [`/files${pointerStep(path)}`, at]))
  const errors = refusal.errors.map((e) => ({ ...e, pointer: files.get(e.pointer) ?? pointer + e.pointer }))
  return { ...refusal, ...(refusal.code === "invalid" ? { detail: invalid(errors).detail } : {}), errors }
}

async function answer(c: Call, { text, decides = true }: MessageWish, view: RunView): Promise<Result<Taken, NotTaken> | "raced"> {
  if (!decides) return ok({ run: view.id, after: view.seq, asksAgain: true })
  const refused = lackOf(c, "interactions:answer")
  if (refused) return err(refused)
  const runs = c.get("tenant").run
  const pending = await openQuestions(runs, view)
  const asksAgain = ok({ run: view.id, after: view.seq, asksAgain: true as const })
  const [only] = pending
  if (!only || pending.length > 1) return pending.length === 0 ? "raced" : asksAgain
  const body = answerOfText(only, text)
  if (!body) return asksAgain
  const result = await answerQuestion(runs, view, only, { body, by: c.get("caller").name, outside: answersOutside(c) })
  if (result.ok) return ok({ run: view.id, after: view.seq })
  return result.code === "invalid" ? asksAgain : "raced"
}

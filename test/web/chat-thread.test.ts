// A turn's ways: told to its end, refused, cut off, ended while nobody looked. The door is played by a list of what it answers.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { Refused, type ChatDoor } from "../../web/chat/chat-door.ts"
import { ChatThread, type StoredThread } from "../../web/chat/chat-thread.ts"
import type { Chunk } from "../../web/chat/ui-message.ts"

const RUN = "run_1"
const START: Chunk = { type: "start", messageId: RUN }
const end = (status: string, seq = 9): Chunk => ({ type: "finish", messageMetadata: { run: RUN, status, seq, usage: { tokens: 1 } } })
const said = (text: string): Chunk[] => [
  { type: "text-start", id: "answer" },
  { type: "text-delta", id: "answer", delta: text },
]
const QUESTION: Chunk = {
  type: "tool-input-available",
  toolCallId: `${RUN}.i1`,
  toolName: "ask_user",
  input: { question: "?" },
  dynamic: true,
}

/** `cut`: the line breaks after these frames. */
type Answer = { readonly frames: readonly Chunk[]; readonly cut?: true } | "nothing" | Error

class FakeDoor implements Pick<ChatDoor, "place" | "send" | "resume" | "stop"> {
  readonly place = { server: "https://s.example/", flow: "f", thread: "t" }
  readonly asked: { readonly how: "send" | "resume"; readonly body?: unknown }[] = []
  readonly #answers: Answer[]

  constructor(answers: Answer[]) {
    this.#answers = answers
  }

  send = async (body: object) => this.#next({ how: "send", body })
  resume = async () => this.#next({ how: "resume" })
  stop = async () => undefined

  #next(asked: (typeof this.asked)[number]) {
    this.asked.push(asked)
    const answer = this.#answers.shift() ?? "nothing"
    if (answer instanceof Error) throw answer
    return answer === "nothing" ? undefined : frames(answer)
  }
}

async function* frames({ frames: all, cut }: Exclude<Answer, "nothing" | Error>): AsyncGenerator<Chunk, boolean> {
  yield* all
  return cut !== true
}

function setUp(answers: Answer[], kept?: StoredThread) {
  const door = new FakeDoor(answers)
  let saved: StoredThread | undefined = kept
  const keep = { load: () => saved, save: (now: StoredThread) => void (saved = structuredClone(now)) }
  const open = () => new ChatThread(door as unknown as ChatDoor, keep)
  return { door, open, saved: () => saved }
}

const texts = ({ messages }: ChatThread): string[] =>
  messages.map(({ role, status, parts }) => `${role} ${status} ${parts.map((part) => ("text" in part ? part.text : part.state)).join()}`)

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal("document", { visibilityState: "visible" })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function settled(work: Promise<void>): Promise<void> {
  await Promise.race([work, vi.advanceTimersByTimeAsync(200_000)])
  await work
}

describe("a turn", () => {
  test("[P22] is told to its end, and sends what was said before", async () => {
    const { door, open } = setUp([
      { frames: [START, ...said("One."), end("succeeded")] },
      { frames: [{ ...START, messageId: "run_2" }, ...said("Two."), end("succeeded")] },
    ])
    const thread = open()
    await settled(thread.send("first"))
    await settled(thread.send("second"))
    expect(texts(thread)).toEqual(["user succeeded first", "assistant succeeded One.", "user succeeded second", "assistant succeeded Two."])
    expect(door.asked[1]?.body).toMatchObject({
      id: "t",
      messages: [
        { role: "user", parts: [{ type: "text", text: "first" }] },
        { role: "assistant", parts: [{ type: "text", text: "One." }] },
        { role: "user", parts: [{ type: "text", text: "second" }] },
      ],
    })
    thread.close()
  })

  test("[P8] whose line breaks follows what is live, and when that is over sends the same request again", async () => {
    const { door, open } = setUp([
      { frames: [START, ...said("Ha")], cut: true },
      new TypeError("the line is dead"),
      "nothing",
      { frames: [START, ...said("Half and whole."), end("succeeded")] },
    ])
    const thread = open()
    await settled(thread.send("go"))
    expect(texts(thread)).toEqual(["user succeeded go", "assistant succeeded Half and whole."])
    expect(door.asked.map(({ how }) => how)).toEqual(["send", "resume", "resume", "send"])
    expect(door.asked[3]?.body).toEqual(door.asked[0]?.body)
    thread.close()
  })

  test("[P24] that a reload has cut goes on after it, with the same message", async () => {
    const { open, saved } = setUp([{ frames: [START, ...said("Ha")], cut: true }])
    const left = open()
    void left.send("go")
    await vi.advanceTimersByTimeAsync(10)
    left.close()
    const { door, open: reopen } = setUp([{ frames: [START, ...said("All."), end("succeeded")] }], saved())
    const thread = reopen()
    await settled(thread.resume())
    expect(texts(thread)).toEqual(["user succeeded go", "assistant succeeded All."])
    expect(door.asked.map(({ how }) => how)).toEqual(["resume"])
    thread.close()
  })

  test("[P8] is not sent again when the server may have forgotten it: it would be done twice", async () => {
    const { open, saved } = setUp([{ frames: [START], cut: true }])
    const left = open()
    void left.send("go")
    await vi.advanceTimersByTimeAsync(10)
    left.close()
    vi.setSystemTime(Date.now() + 24 * 3_600_000)
    const { door, open: reopen } = setUp([], saved())
    const thread = reopen()
    await settled(thread.resume())
    expect(door.asked.map(({ how }) => how)).toEqual(["resume"])
    expect(thread.last).toMatchObject({ status: "refused", problem: "The end of this answer is no longer stored." })
    thread.close()
  })

  test("that is refused says why, and is asked again under the same id, since nothing came of it", async () => {
    const { door, open } = setUp([
      new Refused(422, { detail: "The flow wants inputs." }, null),
      { frames: [START, ...said("Now."), end("succeeded")] },
    ])
    const thread = open()
    await settled(thread.send("go"))
    expect(thread.last).toMatchObject({ status: "refused", problem: "The flow wants inputs." })
    await settled(thread.again())
    expect(texts(thread)).toEqual(["user succeeded go", "assistant succeeded Now."])
    expect(door.asked[1]?.body).toEqual(door.asked[0]?.body)
    thread.close()
  })

  test("whose run failed is asked again under another id, which is another run", async () => {
    const { door, open } = setUp([
      { frames: [START, { type: "error", errorText: "no model" }, end("failed")] },
      { frames: [{ ...START, messageId: "run_2" }, ...said("Now."), end("succeeded")] },
    ])
    const thread = open()
    await settled(thread.send("go"))
    expect(thread.last).toMatchObject({ status: "failed", problem: "no model" })
    await settled(thread.again())
    const ids = door.asked.map(({ body }) => (body as { messages: { id: string }[] }).messages.at(-1)?.id)
    expect([texts(thread).length, new Set(ids).size]).toEqual([2, 2])
    thread.close()
  })

  test("[P7] on a thread that is busy waits, and is sent when that is over", async () => {
    const busy = new Refused(409, { code: "thread_busy", detail: "busy" }, null)
    const { door, open } = setUp([busy, "nothing", { frames: [START, ...said("Now."), end("succeeded")] }])
    const thread = open()
    await settled(thread.send("go"))
    expect(door.asked.map(({ how }) => how)).toEqual(["send", "resume", "send"])
    expect(thread.last?.status).toBe("succeeded")
    thread.close()
  })

  test("of a server that stays away ends with a word about it", async () => {
    const { open } = setUp(Array.from({ length: 20 }, () => new TypeError("no line")))
    const thread = open()
    await settled(thread.send("go"))
    expect(thread.last).toMatchObject({ status: "refused", problem: "The server is unreachable. The run continues there." })
    thread.close()
  })
})

describe("an answer", () => {
  test("[P23] goes on with the message from where the page stands", async () => {
    const { door, open } = setUp([
      { frames: [START, QUESTION, end("waiting", 5)] },
      {
        frames: [
          START,
          { type: "tool-output-available", toolCallId: `${RUN}.i1`, output: { answer: "x" } },
          ...said("Good."),
          end("succeeded"),
        ],
      },
    ])
    const thread = open()
    await settled(thread.send("go"))
    const [part] = thread.last?.parts ?? []
    if (part?.type !== "dynamic-tool") throw new Error("no question")
    await settled(thread.answer(part, { answer: "x" }))
    expect(door.asked[1]?.body).toEqual({
      id: "t",
      messages: [
        {
          id: RUN,
          role: "assistant",
          metadata: { seq: 5 },
          parts: [
            {
              type: "dynamic-tool",
              toolName: "ask_user",
              toolCallId: `${RUN}.i1`,
              input: { question: "?" },
              state: "output-available",
              output: { answer: "x" },
            },
          ],
        },
      ],
    })
    expect(texts(thread)).toEqual(["user succeeded go", "assistant succeeded output-available,Good."])
    thread.close()
  })

  test("[P23] that does not fit leaves the question open, and says what is wrong", async () => {
    const { open } = setUp([{ frames: [START, QUESTION, end("waiting")] }, new Refused(422, { detail: "does not answer" }, null)])
    const thread = open()
    await settled(thread.send("go"))
    const [part] = thread.last?.parts ?? []
    if (part?.type !== "dynamic-tool") throw new Error("no question")
    await settled(thread.answer(part, { answer: "x" }))
    expect([part.state, thread.last?.status, thread.notice]).toEqual(["input-available", "waiting", "does not answer"])
    thread.close()
  })

  test("of somebody else is seen without a sign before it", async () => {
    const { open } = setUp([
      { frames: [START, QUESTION, end("waiting")] },
      { frames: [START, QUESTION, end("waiting")] },
      {
        frames: [
          START,
          QUESTION,
          { type: "tool-output-available", toolCallId: `${RUN}.i1`, output: {} },
          ...said("Good."),
          end("succeeded"),
        ],
      },
    ])
    const thread = open()
    await settled(thread.send("go"))
    const states = new Set<string>()
    thread.listen(() => states.add(`${thread.state} ${thread.last?.status}`))
    await vi.advanceTimersByTimeAsync(6_000)
    expect([...states]).toEqual(["ready waiting"])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(texts(thread).at(-1)).toBe("assistant succeeded output-available,Good.")
    thread.close()
  })
})

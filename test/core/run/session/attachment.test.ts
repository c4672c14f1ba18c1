// Pictures and PDFs in a conversation [F56]: what can be shown, what stands instead, and how many one request shows.

import { describe, expect, test } from "vitest"
import type { Attachment } from "../../../../src/core/run/event-parts.ts"
import {
  attachmentOf,
  labelOf,
  MAX_ATTACHED,
  MAX_ATTACHED_BYTES,
  MAX_IMAGE_BYTES,
  MAX_PDF_PAGES,
  MAX_SIDE,
} from "../../../../src/core/run/session/files/attachment.ts"
import type { Turn } from "../../../../src/core/run/session/conversation.ts"
import { withinRoom } from "../../../../src/core/run/session/request-room.ts"

const found = { path: "in/scan.png", hash: "h", size: 1_000, media: { type: "image/png", width: 800, height: 600 } } as const
const WINDOW = 200_000
const why = (more: object, window = WINDOW): string => {
  const made = attachmentOf({ ...found, ...more }, window)
  return made.ok ? "" : made.error
}

describe("a file that a model is to be shown", () => {
  test("[F56] is named by its hash, its type and its size", () => {
    const made = attachmentOf({ ...found, tainted: true }, WINDOW)
    expect(made).toEqual({
      ok: true,
      value: { path: "in/scan.png", hash: "h", type: "image/png", size: 1_000, tokens: 765, width: 800, height: 600, tainted: true },
    })
    if (made.ok) expect(labelOf(made.value)).toMatch(/^\[in\/scan\.png \(image\/png, 800 × 600 pixels\) follows\. It comes from outside: /)
  })

  test("[F56] beyond a bound it is not shown, and the sentence says which", () => {
    expect(why({ size: MAX_IMAGE_BYTES })).toBe("")
    expect(why({ size: MAX_IMAGE_BYTES + 1 })).toContain(`at most ${MAX_IMAGE_BYTES}`)
    expect(why({ media: { type: "image/png", width: MAX_SIDE + 1, height: 1 } })).toContain(`at most ${MAX_SIDE} on a side`)
    const pdf = { path: "a.pdf", media: { type: "application/pdf", pages: MAX_PDF_PAGES } }
    expect(why(pdf, 1_000_000)).toBe("")
    expect(why({ ...pdf, size: MAX_ATTACHED_BYTES + 1 })).toContain(`at most ${MAX_ATTACHED_BYTES} of application/pdf`)
    expect(why({ ...pdf, media: { type: "application/pdf", pages: MAX_PDF_PAGES + 1 } })).toContain(`has ${MAX_PDF_PAGES + 1} pages`)
    expect(why(pdf)).toContain("more than half of the model's context window")
  })

  test("[F56] its bytes say what it is, and a name that says otherwise is told", () => {
    expect(why({ media: undefined })).toBe("its name says image/png, but its bytes say otherwise")
    expect(why({ path: "notes.txt", media: undefined })).toBe("it is neither a picture nor a PDF")
  })
})

describe("one request", () => {
  const file = (n: number, size = 10): Attachment => ({ path: `${n}.png`, hash: `h${n}`, type: "image/png", size, tokens: 5 })
  const result = (n: number, size?: number): Turn => ({
    role: "tool",
    callId: `c${n}`,
    tool: "read",
    content: [{ type: "text", text: "r" }],
    isError: false,
    attached: [file(n, size)],
  })
  const shown = (turns: readonly Turn[]): string[] =>
    turns.flatMap((t) => (t.role === "assistant" ? [] : (t.attached ?? []).map((f) => f.path)))

  test("[F56] shows the newest 20, and says of each older one that it is left out", () => {
    const all: Turn[] = [
      { role: "user", text: "Look.", attached: [file(0), file(1)] },
      ...Array.from({ length: MAX_ATTACHED - 1 }, (_, i) => result(i + 2)),
    ]
    const room = withinRoom(all)
    expect(shown(room)).toEqual(Array.from({ length: MAX_ATTACHED }, (_, i) => `${i + 1}.png`))
    expect(room[0]).toMatchObject({ text: expect.stringMatching(/^Look\.\n\n\[0\.png \(image\/png\) was shown here and is left out now/) })
    expect(withinRoom(room)).toEqual(room)
    expect(withinRoom(all.slice(1))).toEqual(all.slice(1))
  })

  test("[F56] shows a file once, where it came first, and counts it once", () => {
    const again = Array.from({ length: MAX_ATTACHED + 5 }, () => result(1))
    const room = withinRoom([{ role: "user", text: "Look.", attached: [file(0)] }, result(1), ...again, result(2)])
    expect(shown(room)).toEqual(["0.png", "1.png", "2.png"])
    expect(room[1]).toEqual(result(1))
    expect(room[2]).toMatchObject({ content: [{ text: "r" }, { text: "[1.png (image/png) is the same file as above]" }] })
    // What no longer has room where it came first is shown where it comes again.
    const many = Array.from({ length: MAX_ATTACHED }, (_, i) => result(i + 10))
    expect(shown(withinRoom([result(1), ...many]))).not.toContain("1.png")
    expect(shown(withinRoom([result(1), ...many, result(1)]))).toContain("1.png")
  })

  test("[F56] shows at most so many bytes, images that tools sent among them", () => {
    const half = MAX_ATTACHED_BYTES / 2
    const image: Turn = {
      role: "tool",
      callId: "i",
      tool: "shot",
      isError: false,
      content: [{ type: "image", data: "A".repeat(400), mimeType: "image/png" }],
    }
    const room = withinRoom([image, result(1, half), result(2, half)])
    expect(shown(room)).toEqual(["1.png", "2.png"])
    expect(room[0]).toMatchObject({ content: [{ type: "text", text: expect.stringContaining("left out") }] })
    expect(shown(withinRoom([result(1, half), result(2, half), result(3, 1)]))).toEqual(["2.png", "3.png"])
  })
})

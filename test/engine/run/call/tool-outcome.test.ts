// A tool's result on its way into the journal: whatever the tool answers, one row holds it [T5, J20].

import { describe, expect, test } from "vitest"
import { checked, cutContent } from "../../../../src/engine/run/call/tool-outcome.ts"

const image = (chars: number, mimeType = "image/png") => ({ type: "image" as const, data: "i".repeat(chars), mimeType })
const keep = async (): Promise<string> => "out_1"
const charsOf = (content: readonly unknown[]): number => JSON.stringify(content).length

describe("images of one result", () => {
  test("[J20] one that is too large is left out, with its size", async () => {
    const { content } = await cutContent([image(262_145)], "tail", keep)
    expect(content).toEqual([{ type: "text", text: "[an image of 262145 base64 characters is left out: 262144 are the most]" }])
  })

  test("[J20] of many, those that together pass 524,288 characters are left out, and what follows and fits is kept", async () => {
    const { content } = await cutContent([image(262_144), image(262_100), image(262_144), image(44)], "tail", keep)
    expect(content.map((part) => part.type)).toEqual(["image", "image", "text", "image"])
    expect(content[2]).toMatchObject({ text: expect.stringContaining("together") })
  })

  test.each([[200], [999]])("[J20] %d of them stay below the size of a row", async (count) => {
    const { content } = await cutContent(
      Array.from({ length: count }, () => image(200_000)),
      "tail",
      keep,
    )
    expect(charsOf(content)).toBeLessThan(1_000_000)
  })
})

describe("the form of a result", () => {
  test("[J20] more than 1,000 parts are a failed call", () => {
    const parts = (count: number) => checked("many", { content: Array.from({ length: count }, () => ({ type: "text", text: "" })) })
    expect(parts(1_000).isError).toBe(false)
    expect(parts(1_001)).toMatchObject({
      isError: true,
      content: [{ text: "many answered 1001 parts of content; at most 1000 are allowed" }],
    })
  })

  test("[J20] a media type of more than 200 characters is none", () => {
    expect(checked("shot", { content: [image(1, `image/${"x".repeat(194)}`)] }).isError).toBe(false)
    expect(checked("shot", { content: [image(1, `image/${"x".repeat(195)}`)] }).isError).toBe(true)
  })
})

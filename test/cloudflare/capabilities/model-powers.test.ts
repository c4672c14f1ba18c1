// What is sent to Workers AI, and how its answers are used, with a test binding.

import { describe, expect, test } from "vitest"
import { missingTools } from "../../../src/cloudflare/capabilities/missing-tools.ts"
import { modelPowers, type AiBinding } from "../../../src/cloudflare/capabilities/model-powers.ts"

const signal = new AbortController().signal

function binding(answer: unknown) {
  const asked: unknown[] = []
  const ai: AiBinding = {
    run: async (model, input, options) => {
      asked.push({ model, input, aborts: options?.signal === signal })
      return answer
    },
    toMarkdown: async ({ name, blob }) => {
      asked.push({ name, type: blob.type, size: blob.size })
      return answer
    },
  }
  return { asked, powers: modelPowers(ai) }
}

describe("Workers AI", () => {
  test("[T25] an image is sent to the model as a data URL, with the question", async () => {
    const { asked, powers } = binding({ response: "a cat" })
    expect(await powers?.analyzeImage({ data: "AAAA", mimeType: "image/png", prompt: "What?" }, signal)).toBe("a cat")
    expect(asked).toMatchObject([
      {
        aborts: true,
        input: {
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text: "What?" },
                { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
              ],
            },
          ],
        },
      },
    ])
  })

  test("[T25] a recording is sent to the speech model", async () => {
    const { asked, powers } = binding({ text: "hello" })
    expect(await powers?.transcribe({ data: "AAAA", mimeType: "audio/ogg" }, signal)).toBe("hello")
    expect(asked).toMatchObject([{ model: expect.stringContaining("whisper"), input: { audio: "AAAA" }, aborts: true }])
  })

  test("[T24] a document is sent with its name and type; an unreadable one says why", async () => {
    const file = { name: "a.pdf", mimeType: "application/pdf", body: new Uint8Array(3) }
    const { asked, powers } = binding({ format: "markdown", data: "# A" })
    expect(await powers?.toMarkdown(file)).toBe("# A")
    expect(asked).toEqual([{ name: "a.pdf", type: "application/pdf", size: 3 }])
    await expect(binding({ format: "error", error: "damaged" }).powers?.toMarkdown(file)).rejects.toThrow("damaged")
    await expect(binding("?").powers?.toMarkdown(file)).rejects.toThrow("no text came back")
  })

  test.each([{ response: 1 }, {}, null, "text", new ReadableStream()])(
    "[T25] an answer that is not text is an error: %j",
    async (answer) => {
      await expect(binding(answer).powers?.analyzeImage({ data: "A", mimeType: "image/png", prompt: "?" }, signal)).rejects.toThrow(
        "did not answer with text",
      )
    },
  )

  test("[T25] without the binding there are no powers, and the tools that need them are missing with the reason", () => {
    expect(modelPowers(undefined)).toBeUndefined()
    for (const name of ["image.analyze", "audio.transcribe"]) {
      expect(missingTools({}).get(name)).toContain("Workers AI")
      expect(missingTools({ AI: {} as Ai }).has(name)).toBe(false)
    }
    expect(missingTools({ AI: {} as Ai }).get("browser.click")).toContain("Browser Rendering")
  })
})

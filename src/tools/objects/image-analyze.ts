// image.analyze: describes an image with a model [T25]. Available when a model for it is bound.

import { text, type Tool } from "../../ports/tool.ts"
import { base64Of, DATA } from "./media-data.ts"
import { string } from "../files/workspace-file.ts"

export const imageAnalyze: Tool = {
  name: "image.analyze",
  label: "Look at image",
  description: "Have a model look at an image and answer a question about it.",
  parameters: {
    type: "object",
    properties: {
      data: DATA,
      mimeType: { type: "string", enum: ["image/jpeg", "image/png", "image/gif", "image/webp"], description: "What kind of image it is." },
      prompt: { type: "string", minLength: 1, maxLength: 4000, description: 'What to tell about it. Default: "Describe this image."' },
    },
    required: ["data", "mimeType"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent", "main"],
  groups: ["media"],
  // Text in a picture is text from outside.
  untrusted: true,
  timeout: 60_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    if (powers.models?.analyzeImage === undefined) throw new Error("no model that sees images is bound here")
    const prompt = params["prompt"] === undefined ? "Describe this image." : string(params, "prompt")
    const mimeType = string(params, "mimeType")
    return { ...text(await powers.models.analyzeImage({ data: base64Of(params), mimeType, prompt }, signal)), source: "image" }
  },
}

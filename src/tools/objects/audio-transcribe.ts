// audio.transcribe: turns speech into text [T25]. Available when a model for it is bound.

import { text, type Tool } from "../../ports/tool.ts"
import { base64Of, DATA } from "./media-data.ts"
import { string } from "../files/workspace-file.ts"

export const audioTranscribe: Tool = {
  name: "audio.transcribe",
  label: "Transcribe",
  description: "Write down what is said in a recording.",
  parameters: {
    type: "object",
    properties: {
      data: DATA,
      mimeType: {
        type: "string",
        enum: ["audio/ogg", "audio/wav", "audio/mpeg", "audio/webm"],
        description: "What kind of recording it is.",
      },
    },
    required: ["data", "mimeType"],
    additionalProperties: false,
  },
  effect: "read",
  contexts: ["agent", "main"],
  groups: ["media"],
  // Speech is text from outside.
  untrusted: true,
  timeout: 120_000,

  async execute(_callId, params, signal, _onUpdate, powers) {
    if (powers.models?.transcribe === undefined) throw new Error("no model for speech is bound here")
    const heard = await powers.models.transcribe({ data: base64Of(params), mimeType: string(params, "mimeType") }, signal)
    return { ...text(heard.trim() === "" ? "[nothing was said]" : heard), source: "recording" }
  },
}

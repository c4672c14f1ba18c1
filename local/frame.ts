// Parses the text of one frame of a run's stream, if this version knows the frame.

import { z } from "zod"
import type { Frame } from "../src/client/frame.ts"
import { Envelope, Fact } from "../src/core/run/event.ts"

const Delta = z.object({ type: z.literal("model.delta"), step: z.string(), turn: z.number(), text: z.string() })
const Progress = z.object({ type: z.literal("tool.progress"), step: z.string(), callId: z.string(), tool: z.string(), content: z.json() })
const Transient = z.discriminatedUnion("type", [Delta, Progress])

/** undefined: an event of a later version, which this view skips. */
export function parseFrame(data: string): Frame | undefined {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return undefined
  }
  return knownFrame(value)
}

export function knownFrame(value: unknown): Frame | undefined {
  const fact = Fact.safeParse(value)
  const envelope = Envelope.safeParse(value)
  if (fact.success && envelope.success) return { ...fact.data, ...envelope.data }
  const transient = Transient.safeParse(value)
  return transient.success ? transient.data : undefined
}

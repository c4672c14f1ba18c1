// Writes a session's first message [G11]: the task, with delimiters around what is from outside, and what the prompt only names.

import type { FactOf } from "../event.ts"
import { enclosed } from "./fence.ts"

/** A part of the task that is text from outside. */
export interface Quoted {
  readonly name: string
  readonly at: number
  readonly length: number
}

/** A value that the prompt names and the task does not have. `own`: it is not from outside, but changes with every message. */
export interface Apart {
  readonly name: string
  readonly text: string
  readonly own?: true
}

/** What a session's first message is made of. `fence`: the id of its delimiters. `files`: context files from outside, with delimiters. */
export interface FirstMessage {
  readonly task: string
  readonly quoted?: readonly Quoted[]
  readonly apart?: readonly Apart[]
  readonly fence?: string
  readonly files?: string
}

/** The message as the model reads it. */
export function toldIn({ task, quoted = [], apart = [], fence = "", files }: FirstMessage): string {
  const parts: string[] = []
  let from = 0
  for (const { name, at, length } of quoted) {
    parts.push(task.slice(from, at), enclosed(task.slice(at, at + length), fence, name))
    from = at + length
  }
  parts.push(task.slice(from))
  const more = apart.map(({ name, text, own }) => (own ? `${name}:\n${text}` : enclosed(text, fence, name)))
  return [parts.join(""), ...more, ...(files === undefined ? [] : [files])].join("\n\n")
}

/** The same of a step's opening. Nobody can guess the hash of the event before it. */
export const toldOf = ({ task = "", quoted, apart, prev }: FactOf<"step.opened"> & { readonly prev: string }): FirstMessage => ({
  task,
  ...(quoted ? { quoted } : {}),
  ...(apart ? { apart } : {}),
  ...((quoted ?? apart) ? { fence: fenceOf(prev) } : {}),
})

export const fenceOf = (prev: string): string => prev.slice(0, 16)

// Keeps text from outside out of the system prompt [G11]: in its place stands where it is, and it stands in the user's message, between
// delimiters, once. What a flow's author, a key's holder or a person wrote stays where the templates put it.

import { onlyTextOf, references, type ExpandedPart, type TemplateReference } from "../../flow/template.ts"
import { written } from "../../text/member-path.ts"
import type { ForkChoice, Run, StepResult } from "../state.ts"
import type { Apart, Quoted } from "./told.ts"

/** Since kernel 2. */
export const keepsApart = ({ kernel = 1 }: Run): boolean => kernel >= 2

/** Does text from outside belong to this value? `inputs`: the step's inputs that have such text. */
export function isOutside(run: Run, ref: TemplateReference, inputs: ReadonlySet<string>): boolean {
  if (!keepsApart(run)) return false
  switch (ref.root) {
    case "input":
      return inputs.has(ref.name)
    case "task":
      return isGivenOutside(run) || run.origins?.includes("attachments") === true
    case "flow.input":
    case "trigger":
    case "session":
      return isGivenOutside(run)
    case "conversation":
      return run.tainted
    case "result":
      return ref.field !== "status" && resultOf(run, ref.step)?.tainted === true
    case "fork":
      return ref.field === "notes" && saysOutside(run, ref.step)
    case "until":
      return ref.field === "reason" && run.steps[ref.step]?.rounds?.last?.tainted === true
    case "config":
    case "loop":
    case "run":
    case "thread":
    case "item":
    case "index":
      return false
  }
}

/** Task and inputs are from outside. The client's history alone says nothing of them; a child's may be made of it. */
const isGivenOutside = ({ tainted, origins = [], parent }: Run): boolean =>
  tainted && (parent !== undefined || !(origins.length > 0 && origins.every((origin) => origin === "history")))

/** A fork's notes are a person's, unless the holder of a token answered. */
const saysOutside = (run: Run, fork: string): boolean => resultOf(run, fork)?.origins?.includes("answers") === true

const resultOf = (run: Run, step: string): StepResult | undefined => (Object.hasOwn(run.steps, step) ? run.steps[step]?.result : undefined)

/** The name of a value, as its template has it. */
export function nameOfValue(ref: TemplateReference): string {
  switch (ref.root) {
    case "input":
      return written(["input", ref.name])
    case "flow.input":
      return written(["flow", "input", ref.name])
    case "config":
      return written(["config", ref.key])
    case "result":
      return written(["result", ref.step, ...(ref.field === undefined ? [] : [ref.field, ...(ref.path ?? [])])])
    case "loop":
    case "fork":
    case "until":
      return written([ref.root, ref.step, ref.field])
    case "trigger":
    case "item":
      return written([ref.root, ...ref.path])
    case "run":
      return "run.id"
    case "task":
    case "session":
    case "conversation":
    case "thread":
    case "index":
      return ref.root
  }
}

/** The places of the parts from outside in the text that the parts are. */
export function quotedIn(parts: readonly ExpandedPart[], outside: (ref: TemplateReference) => boolean): Quoted[] {
  let at = 0
  return parts.flatMap(({ text, ref }) => {
    const from = at
    at += text.length
    return ref !== undefined && text !== "" && outside(ref) ? [{ name: nameOfValue(ref), at: from, length: text.length }] : []
  })
}

/** Values that came with this message alone: in a session that goes on, the prompt is the same for all its messages. */
export const isOfMessage = ({ root }: TemplateReference): boolean => root === "task" || root === "conversation" || root === "trigger"

/** The text without the values that stand in the message, and these. */
export function setApart(
  parts: readonly ExpandedPart[],
  outside: (ref: TemplateReference) => boolean,
  isSticky: boolean,
): { readonly text: string; readonly apart: readonly Apart[] } {
  const apart: Apart[] = []
  const text = parts.map(({ text: value, ref }) => {
    if (ref === undefined || value === "") return value
    const isOwn = !outside(ref)
    if (isOwn && !(isSticky && isOfMessage(ref))) return value
    const name = nameOfValue(ref)
    apart.push({ name, text: value, ...(isOwn ? { own: true as const } : {}) })
    return pointer(name)
  })
  return { text: text.join(""), apart }
}

export const pointer = (name: string): string => `(${name}: in the message)`

const QUESTION = "question"

/** [F21] A fork's choice as the prompt of its branch shows it, and what of it is from outside. The answer is one of the author's labels. */
export function choiceApart(run: Run, id: string, choice: ForkChoice): { readonly shown: ForkChoice; readonly apart: readonly Apart[] } {
  if (!keepsApart(run)) return { shown: choice, apart: [] }
  const step = run.plan.steps.get(id)
  const asks = step?.type === "fork" ? references(step.question, run.plan.stepIds) : []
  const none = new Set<string>()
  const question = nameOfFork(id, QUESTION)
  const notes = nameOfFork(id, "notes")
  const isQuestion = asks.some(({ ref }) => ref !== undefined && isOutside(run, ref, none))
  const isNotes = (choice.notes ?? "") !== "" && saysOutside(run, id)
  return {
    shown: { ...choice, ...(isQuestion ? { question: pointer(question) } : {}), ...(isNotes ? { notes: pointer(notes) } : {}) },
    apart: [
      ...(isQuestion ? [{ name: question, text: choice.question }] : []),
      ...(isNotes ? [{ name: notes, text: choice.notes ?? "" }] : []),
    ],
  }
}

const nameOfFork = (id: string, part: string): string => written(["fork", id, part])
export const isOfFork = (name: string): boolean => name.startsWith("fork.") || name.startsWith("fork[")

/** Leaves out what the task has, and what is there twice: its other names join the first. */
export function withoutHeld(
  apart: readonly Apart[],
  parts: readonly ExpandedPart[],
  quoted: readonly Quoted[],
): { readonly apart: readonly Apart[]; readonly quoted: readonly Quoted[] } {
  const task = onlyTextOf(parts)
  const held = new Set(parts.flatMap(({ text, ref }) => (ref === undefined ? [] : [text])))
  const names = new Map<string, Set<string>>()
  const called = (text: string, name: string): Set<string> => {
    const all = names.get(text) ?? new Set<string>()
    names.set(text, all.add(name))
    return all
  }
  for (const { name, at, length } of quoted) called(task.slice(at, at + length), name)
  const left = apart.filter(({ name, text }) => {
    const isNew = !names.has(text) && !held.has(text)
    if (isNew || names.has(text)) called(text, name)
    return isNew
  })
  const namesOf = (text: string): string => [...(names.get(text) ?? [])].join(", ")
  return {
    apart: left.map((one) => ({ ...one, name: namesOf(one.text) })),
    quoted: quoted.map((one) => ({ ...one, name: namesOf(task.slice(one.at, one.at + one.length)) })),
  }
}

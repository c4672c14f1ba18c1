// Every key of the console, once: what a page binds, and what the sheet of keys shows. A binding is written as tinykeys reads it:
// `$mod` is Ctrl, or Cmd on a Mac; a space stands between keys that follow each other; in brackets is what may be held too, as a sign that some
// keyboards write with Shift.

import { parseKeybinding } from "tinykeys"
import { PLACE_KEYS } from "./place-keys.ts"

export interface KeyLine {
  /** Empty: other lines tell it. */
  readonly does: string
  readonly acts: Readonly<Record<string, string>>
  /** Where it is not the bindings. */
  readonly shown?: string
}

export interface KeyGroup {
  readonly title: string
  readonly lines: readonly KeyLine[]
}

/** Where two groups have a key, the first that takes it has it. */
export const KEYS = {
  everywhere: {
    title: "Everywhere",
    lines: [
      { does: "find or do", acts: { find: "$mod+k" } },
      { does: "", acts: { go: `g ([${PLACE_KEYS.map(({ key }) => key).join("")}])` } },
      ...PLACE_KEYS.map(({ key, label }) => ({ does: label.toLowerCase(), acts: {}, shown: `g ${key}` })),
      { does: "these keys", acts: { help: "[Shift]+?" } },
      { does: "close, back", acts: { leave: "Escape" } },
    ],
  },
  architect: { title: "A proposal", lines: [{ does: "accept", acts: { accept: "$mod+Enter" } }] },
  sending: { title: "An answer", lines: [{ does: "send or commit; leave it", acts: { send: "$mod+Enter", leave: "Escape" } }] },
  list: {
    title: "Lists",
    lines: [
      { does: "next, previous", acts: { next: "j", previous: "k" } },
      { does: "open", acts: { open: "Enter" } },
      { does: "filter", acts: { filter: "[Shift]+/" } },
      { does: "show new rows", acts: { fresh: "." } },
      { does: "select", acts: { select: "x" } },
      { does: "cancel, asked once", acts: { cancel: "c" } },
      { does: "new run, flow, agent or skill", acts: { new: "n" } },
      { does: "clear the selection", acts: { clear: "Escape" } },
    ],
  },
  find: {
    title: "Runs",
    lines: [
      { does: "select on, down and up", acts: { selectNext: "Shift+j", selectPrevious: "Shift+k" } },
      { does: "select all that match", acts: { all: "Shift+a" } },
      { does: "fork with the newest revision, run again", acts: { fork: "f", again: "r" } },
      { does: "delete, asked for the number", acts: { remove: "d" } },
      { does: "save this view", acts: { save: "v" } },
    ],
  },
  line: { title: "A queued run", lines: [{ does: "open the run that holds the key", acts: { holder: "o" } }] },
  bulk: { title: "A bulk action", lines: [{ does: "stop it", acts: { stop: "s" } }] },
  first: { title: "The first page", lines: [{ does: "fork, approve, open", acts: { nth: "[Shift]+([1-9])" } }] },
  deciding: {
    title: "Deciding",
    lines: [
      { does: "approve", acts: { approve: "a" } },
      { does: "edit", acts: { edit: "e" } },
      { does: "reject", acts: { reject: "r" } },
      { does: "option or effect", acts: { nth: "[Shift]+([1-9])" } },
      { does: "open the run", acts: { open: "o" } },
      { does: "answer all that are alike", acts: { alike: "Shift+a" } },
      { does: "snooze", acts: { snooze: "z" } },
    ],
  },
  effects: {
    title: "Effects",
    lines: [
      { does: "it happened, it did not", acts: { happened: "y", didNot: "n" } },
      { does: "all open", acts: { all: "v" } },
    ],
  },
  failures: {
    title: "Failures",
    lines: [
      { does: "mute", acts: { mute: "m" } },
      { does: "resolve", acts: { resolve: "d" } },
      { does: "fork all, asked once", acts: { forkAll: "Shift+f" } },
    ],
  },
  definition: { title: "An agent or skill", lines: [{ does: "save", acts: { save: "$mod+s" } }] },
  playground: {
    title: "Playground",
    lines: [
      { does: "add a column", acts: { add: "[Shift]++" } },
      { does: "run the columns", acts: { run: "$mod+Enter" } },
    ],
  },
  grading: {
    title: "Grading",
    lines: [
      { does: "level", acts: { level: "[Shift]+([1-9])" } },
      { does: "grade, skip", acts: { grade: "Enter", skip: "s" } },
      { does: "back to the one before", acts: { back: "Backspace" } },
    ],
  },
  scorer: { title: "A judge", lines: [{ does: "probe it", acts: { probe: "p" } }] },
  experiment: {
    title: "An experiment",
    lines: [
      { does: "next variant", acts: { variant: "v" } },
      { does: "stop it", acts: { stop: "s" } },
    ],
  },
  scores: {
    title: "The scores of a run",
    lines: [
      { does: "score now", acts: { score: "q" } },
      { does: "add to dataset", acts: { dataset: "d" } },
      { does: "good, bad", acts: { up: "[Shift]++", down: "-" } },
    ],
  },
  run: {
    title: "A run",
    lines: [
      { does: "next, previous step", acts: { next: "j", previous: "k" } },
      { does: "previous, next turn or call", acts: { inside: "h", onward: "l" } },
      { does: "previous, next pass", acts: { passBefore: "[Alt]+[", passAfter: "[Alt]+]" } },
      { does: "tab of the detail", acts: { tab: "[Shift]+([1-6])" } },
      { does: "zoom the graph", acts: { in: "[Shift]++", out: "-", fit: "[Shift]+0" } },
      { does: "pause or resume", acts: { pause: "p" } },
      { does: "cancel, asked once", acts: { cancel: "c" } },
      { does: "steer", acts: { steer: "s" } },
      { does: "actions", acts: { menu: "m" } },
      { does: "fork from here", acts: { fork: "f" } },
      { does: "edit and run", acts: { edit: "e" } },
      { does: "run again", acts: { again: "r" } },
    ],
  },
  // While the menu is open, its items have their letters.
  actions: {
    title: "Actions of a run",
    lines: [
      { does: "compare", acts: { compare: "c" } },
      { does: "save as test", acts: { test: "t" } },
      { does: "copy link, copy as curl", acts: { link: "y", curl: "u" } },
    ],
  },
  moment: {
    title: "A past moment",
    lines: [
      { does: "previous, next event", acts: { before: "ArrowLeft", after: "ArrowRight" } },
      { does: "first event", acts: { first: "Home" } },
      { does: "back to live", acts: { live: "l" } },
    ],
  },
  compare: {
    title: "Comparing",
    lines: [
      { does: "next difference", acts: { next: "n" } },
      { does: "swap", acts: { swap: "w" } },
      { does: "other run", acts: { other: "o" } },
    ],
  },
  flow: {
    title: "A flow",
    lines: [
      { does: "save", acts: { save: "$mod+s" } },
      { does: "rehearse", acts: { rehearse: "$mod+Enter" } },
      { does: "next problem", acts: { problem: "F8" } },
      { does: "fix it", acts: { fix: "Alt+Period" } },
      { does: "architect", acts: { architect: "Alt+KeyA" } },
      { does: "run the tests", acts: { tests: "$mod+Shift+t" } },
    ],
  },
  overview: {
    title: "Overview",
    lines: [
      { does: "open a number", acts: { nth: "[Shift]+([1-5])" } },
      { does: "seven days or today", acts: { week: "[Shift]+7" } },
      { does: "compare revisions", acts: { compare: "c" } },
    ],
  },
  flowPage: {
    title: "The page of a flow",
    lines: [
      { does: "edit", acts: { edit: "e" } },
      { does: "new run", acts: { new: "n" } },
      { does: "compare revisions", acts: { compare: "c" } },
    ],
  },
  plots: { title: "Plots", lines: [{ does: "plots as tables", acts: { tables: "t" } }] },
  faces: {
    title: "Policy, roles, gate",
    lines: [
      { does: "save", acts: { save: "$mod+s" } },
      { does: "form or text", acts: { turn: "Alt+KeyT" } },
    ],
  },
  tools: {
    title: "Tools",
    lines: [
      { does: "enable, disable", acts: { turn: "Space" } },
      { does: "delete, asked once", acts: { delete: "d" } },
    ],
  },
  // The field of a chat has these by itself, here and on other pages.
  chat: {
    title: "Chat",
    lines: [
      { does: "send", acts: { send: "Enter" } },
      { does: "new line", acts: { line: "Shift+Enter" } },
      { does: "stop", acts: { stop: "Escape" } },
    ],
  },
} as const satisfies Readonly<Record<string, KeyGroup>>

export type KeyGroupName = keyof typeof KEYS

type NamesOf<T> = T extends unknown ? keyof T : never

/** What a page may do at each act of a group. What answers `false` leaves the key to others. */
export type KeyActs = {
  readonly [G in KeyGroupName]: {
    readonly [A in NamesOf<(typeof KEYS)[G]["lines"][number]["acts"]>]?: ((event: KeyboardEvent) => unknown) | undefined
  }
}

/** Act → binding. */
export const bindingsOf = (group: KeyGroupName): Readonly<Record<string, string>> =>
  Object.assign({}, ...KEYS[group].lines.map(({ acts }) => acts)) as Readonly<Record<string, string>>

const HELD: Readonly<Record<string, string>> = { $mod: "Ctrl", Shift: "Shift", Alt: "Alt" }
const SIGNS: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowLeft: "←",
  ArrowRight: "→",
  Period: ".",
  "-": "−",
  "([1-5])": "1 – 5",
  "([1-6])": "1 – 6",
  "([1-9])": "1 – 9",
}

/** How a binding is written on a page, in the parts that are each a key. */
export function shownKeys(binding: string): readonly string[] {
  return binding.split(" ").flatMap((press) => {
    const parts = press.split(/(?<=\w|\])\+/)
    const last = parts.pop() ?? ""
    const sign = SIGNS[last] ?? last.replace(/^Key/, "")
    return [...parts.flatMap((part) => HELD[part] ?? []), ...(sign.length === 1 ? sign.toUpperCase() : sign).split(" ")]
  })
}

/** Whether the key goes into a text where there is a place for one: while somebody types it is no key of a page. */
export function isWritten(binding: string): boolean {
  const [[held, , key] = [[], [], ""]] = parseKeybinding(binding)
  if (held.some((one) => one !== "Shift")) return false
  return typeof key !== "string" || (key !== "Escape" && !/^F\d+$/.test(key))
}

/** Single letters, digits and signs: who dictates would press them by speaking (WCAG 2.1.4). */
export const isSign = (binding: string): boolean =>
  isWritten(binding) && parseKeybinding(binding).some(([, , key]) => typeof key !== "string" || key.length === 1)

// Shows a run that waits for a grade, for a person: what it was asked, what it did, and its answer. All of it is text from others. Pure.

import type { GradingEntry } from "../../src/api/doc/quality.doc.ts"
import { plain } from "../../local/show-run.ts"

/** Characters of one text; the rest is on the run's page. */
const MOST = 4_000

export const gradingLine = ({ run, scorer, flow, since }: GradingEntry): string =>
  `${run}  ${plain(scorer)}  ${plain(flow)}  waits since ${since}`

export function gradingLines({ account, rubric, ...entry }: GradingEntry): readonly string[] {
  if (account === undefined) return [gradingLine({ ...entry })]
  const { task, inputs, conversation, steps, answer, error } = account
  const did = Object.entries(steps).flatMap(([id, { called, refused, failed }]) =>
    called.length + refused.length === 0
      ? []
      : [
          `${plain(id)}: ${[...called, ...refused.map((tool) => `${tool} was refused`), ...failed.map((tool) => `${tool} failed`)].map(plain).join(", ")}`,
        ],
  )
  return [
    gradingLine({ ...entry }),
    ...part("Question", rubric ?? ""),
    ...part("Said before", conversation.map(({ role, text }) => `${role}: ${text}`).join("\n")),
    ...part("Asked", task),
    ...part("Inputs", Object.keys(inputs).length === 0 ? "" : JSON.stringify(inputs)),
    ...part("What it did", did.join("\n")),
    ...part("Answer", answer === "" ? textOf(error) : answer),
  ]
}

const textOf = (error: unknown): string => (error === null ? "It gave none." : JSON.stringify(error))

const part = (title: string, text: string): readonly string[] =>
  text === ""
    ? []
    : [
        "",
        `${title}:`,
        ...plain(text.length > MOST ? `${text.slice(0, MOST)}…` : text)
          .split("\n")
          .map((line) => `  ${line}`),
      ]

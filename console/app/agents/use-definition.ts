// An agent's or a skill's file under edit: its text, and what the server says of it.

import type { CodeProblem } from "../code/code-props.ts"
import { useCheck } from "../flows/use-check.ts"
import { useDraft, type FlowDraft } from "../flows/use-draft.ts"
import { useProblems } from "../flows/use-problems.ts"
import { useUnwritten } from "../flows/use-unwritten.ts"
import type { Api } from "../shell/session.ts"

export interface Editing {
  readonly draft: FlowDraft
  readonly problems: readonly CodeProblem[]
  /** Whether `problems` are of this very text. */
  readonly isChecked: boolean
  /** The text with this one mended; undefined: the reader decides. */
  readonly mend: (problem: CodeProblem) => string | undefined
}

export function useDefinition(api: Api, kind: "agent" | "skill", id: string): Editing {
  const draft = useDraft(api, { kind, id })
  const path = kind === "agent" ? `agents/${id}.md` : `skills/${id}`
  const checked = useUnwritten(useCheck(api, kind, path, draft.state === "open" ? draft.text : undefined), draft)
  const { shown, isFresh, mend } = useProblems(checked, draft.text)
  return { draft, problems: shown, isChecked: isFresh && checked.problems !== undefined, mend }
}

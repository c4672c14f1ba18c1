// A state: its shape, then its word, then its color.

import { Icon, type IconName } from "../shell/icons.tsx"

interface Look {
  readonly icon: IconName
  readonly word: string
}

/** States of runs and of steps. */
const LOOKS: Readonly<Record<string, Look>> = {
  queued: { icon: "queued", word: "Queued" },
  pending: { icon: "queued", word: "To come" },
  running: { icon: "running", word: "Running" },
  waiting: { icon: "waiting", word: "Waiting" },
  paused: { icon: "paused", word: "Paused" },
  succeeded: { icon: "succeeded", word: "Succeeded" },
  complete: { icon: "succeeded", word: "Complete" },
  failed: { icon: "failed", word: "Failed" },
  error: { icon: "failed", word: "Failed" },
  blocked: { icon: "blocked", word: "Blocked" },
  skipped: { icon: "skipped", word: "Skipped" },
  canceled: { icon: "canceled", word: "Canceled" },
}

/** A status of a later version is its own word. */
export const lookOf = (status: string): Look => LOOKS[status] ?? { icon: "queued", word: status }

interface Props {
  readonly status: string
  readonly word?: string
  /** It waits for a signal or a time, not for a person. */
  readonly isPatient?: boolean
}

export function Status({ status, word, isPatient = false }: Props) {
  const look = lookOf(status)
  if (isPatient && status === "waiting")
    return (
      <span className="st pending">
        <Icon name="clock" />
        {word ?? look.word}
      </span>
    )
  return (
    <span className={`st ${status}`}>
      <Icon name={look.icon} kind={status === "running" ? "i spin" : "i"} />
      {word ?? look.word}
    </span>
  )
}

interface MarkProps extends Omit<Props, "word"> {
  readonly kind?: string
}

/** Only the shape, with its word for who does not see it. */
export function StatusMark({ status, kind = "i", isPatient = false }: MarkProps) {
  const { icon, word } = lookOf(status)
  if (isPatient) return <Icon name="clock" kind={`${kind} pending`} label={lookOf("waiting").word} />
  return <Icon name={icon} kind={`${kind} ${status}${status === "running" ? " spin" : ""}`} label={word} />
}

// Says what becomes of scores that were asked for.

interface Asked {
  readonly scorer: string
  readonly state: "waiting" | "done" | "skipped"
  readonly why?: "budget" | "queue"
}

const WHY = { budget: "today’s budget for judges does not cover it", queue: "too many scorings wait" } as const

export function askedWords(asked: readonly Asked[]): string {
  const named = (state: Asked["state"]): string => asked.flatMap((one) => (one.state === state ? [one.scorer] : [])).join(", ")
  const [waiting, done] = [named("waiting"), named("done")]
  return [
    ...(waiting === "" ? [] : [`Asked: ${waiting}. The score comes in a moment.`]),
    ...(done === "" ? [] : [`This version has scored it before: ${done}.`]),
    ...asked.flatMap(({ scorer, state, why }) =>
      state === "skipped" ? [`Not scored by ${scorer}: ${why === undefined ? "it was skipped" : WHY[why]}.`] : [],
    ),
  ].join(" ")
}

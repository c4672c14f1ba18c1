// Begins a run that a delivery or a fire promised, instead of answering "not found" [W3, W5]. A webhook's sender gets the run's id as soon as its
// delivery is durable, so a reader may be faster than the start. `begin` is called only if no run seems to exist.

import type { RunPort } from "../../../ports/run.ts"
import { withOverrides } from "../../with-overrides.ts"

/** `begin` resolves when the run that was promised under this id has begun or cannot begin (false), or takes too long (true). */
export function promised(port: RunPort, begin: () => Promise<boolean>): RunPort {
  /** `none`: what the run's object returns if there is no run. */
  const orBegun = async <T>(ask: () => Promise<T>, none: (said: T) => boolean = (said) => said === undefined): Promise<T> => {
    const said = await ask()
    if (!none(said)) return said
    const isLate = await begin()
    // Asks again even if nobody promised the run, because it may have begun between the two requests.
    const then = await ask()
    if (isLate && none(then)) throw notBegun()
    return then
  }
  return withOverrides(port, {
    view: () => orBegun(() => port.view()),
    wait: (ms) => orBegun(() => port.wait(ms)),
    events: (after, limit) => orBegun(() => port.events(after, limit)),
    stream: (after, options) => orBegun(() => port.stream(after, options)),
    socket: (after, options) => orBegun(() => port.socket(after, options)),
    frames: (after, limit, format) => orBegun(() => port.frames(after, limit, format)),
    cancel: (by) => orBegun(() => port.cancel(by)),
    pause: (reason) => orBegun(() => port.pause(reason)),
    resume: (reason) => orBegun(() => port.resume(reason)),
    remove: () =>
      orBegun(
        () => port.remove(),
        (gone) => !gone,
      ),
    interactions: (status) => orBegun(() => port.interactions(status)),
    signal: (name, payload, by, idempotencyToken) =>
      orBegun(
        () => port.signal(name, payload, by, idempotencyToken),
        (said) => said === "not_found",
      ),
    putFile: (path, body, said) =>
      orBegun(
        () => port.putFile(path, body, said),
        (answer) => !answer.ok && answer.code === "not_found",
      ),
    files: () => orBegun(() => port.files()),
    viewAt: (seq) => orBegun(() => port.viewAt(seq)),
    filesAt: (seq) => orBegun(() => port.filesAt(seq)),
    fileAt: (path, seq) => orBegun(() => port.fileAt(path, seq)),
    messages: (step, after, page) => orBegun(() => port.messages(step, after, page)),
    stepTools: (step) => orBegun(() => port.stepTools(step)),
  } satisfies Partial<RunPort>)
}

/** Somebody was told of the run, so "there is no such run" would be a lie: its caller has to ask again. */
function notBegun(): Error {
  const error = new Error("the run is being started, and has not begun yet")
  error.name = "NotBegunError"
  return error
}

// A run as its tenant's keys see it [W3]: one that a delivery promises, and that has not begun yet, is begun before anybody is told that
// there is none. A webhook's sender is answered with the run's id as soon as its delivery is durable, so whoever follows that id may be
// faster than the start.
//
// `begin` is asked only where there seems to be no run.

import type { RunPort } from "../../ports/run.ts"

/** `begin`: what a delivery promises under this id has begun when it resolves, or could not. */
export function promised(port: RunPort, begin: () => Promise<void>): RunPort {
  /** `none`: what the run's object says where nothing is. */
  const orBegun = async <T>(ask: () => Promise<T>, none: (said: T) => boolean = (said) => said === undefined): Promise<T> => {
    const said = await ask()
    if (!none(said)) return said
    await begin()
    // Also when nothing waited for its start: it may have begun between the two questions.
    return ask()
  }
  return {
    ...port,
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
    signal: (name, payload, by, act) =>
      orBegun(
        () => port.signal(name, payload, by, act),
        (said) => said === "not_found",
      ),
    files: () => orBegun(() => port.files()),
    messages: (step, after) => orBegun(() => port.messages(step, after)),
    stepTools: (step) => orBegun(() => port.stepTools(step)),
  }
}

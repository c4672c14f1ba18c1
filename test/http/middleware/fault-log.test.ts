// The log of a server error has no path [N8], because paths contain the tokens of links and the ids of hooks, which are secret.

import { expect, test, vi } from "vitest"
import { setUp } from "../../support/http/ask.ts"

test.each(["/d/CANARY.token", "/i/CANARY.token"])("[N8] a fault behind %s logs the route and not the token", async (path) => {
  const { services, ask } = setUp()
  services.download = () => Promise.reject(new Error("R2 is down"))
  services.linked = () => Promise.reject(new Error("no answer"))
  const log = vi.spyOn(console, "error").mockImplementation(() => {})
  try {
    expect((await ask("GET", path, { key: null })).status).toBe(500)
    expect(log.mock.calls.flat().join()).toContain(`"route":"${path.slice(0, 3)}:token"`)
    expect(log.mock.calls.flat().join()).not.toContain("CANARY")
  } finally {
    log.mockRestore()
  }
})

// The names of sessions' cookies, and what a dispatcher passes on [H13].

import { describe, expect, test } from "vitest"
import { cookieOf, sessionCookie, withoutOtherSessions } from "../../src/core/session-cookie.ts"

describe("a session's cookie", () => {
  test("[H13] is named after its instance, and in local development after its port", () => {
    expect(sessionCookie("")).toBe("__Host-sluice")
    expect(sessionCookie("/t/acme")).toBe("__Host-sluice-acme")
    expect(sessionCookie("", "8787")).toBe("sluice-8787")
    expect(sessionCookie("/t/acme", "")).toBe("sluice-acme")
  })

  test("[H13] is read by its whole name, and not if it is there twice", () => {
    expect(cookieOf("a=1; __Host-sluice=x=y ; b", "__Host-sluice")).toBe("x=y")
    expect(cookieOf("__Host-sluice-a=1", "__Host-sluice")).toBeUndefined()
    expect(cookieOf("__host-sluice=1", "__Host-sluice")).toBeUndefined()
    expect(cookieOf("n=1; n=1", "n")).toBeUndefined()
    expect(cookieOf(undefined, "n")).toBeUndefined()
  })

  test("[H13] [N2] a dispatcher gives an instance its own session and no other", () => {
    const all = "__Host-sluice=1; a=2; __Host-sluice-acme=3; __Host-sluice-acme-2=4;__Host-sluice-other=5"
    expect(withoutOtherSessions(all, "/t/acme")).toBe("a=2; __Host-sluice-acme=3")
    expect(withoutOtherSessions(all, "")).toBe("__Host-sluice=1; a=2")
    expect(withoutOtherSessions("__Host-sluice-other=5", "/t/acme")).toBe("")
  })
})

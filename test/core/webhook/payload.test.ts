// Which parts of a delivery its run may see [W2].

import { describe, expect, test } from "vitest"
import { fieldsOf, formBody as bodyInPieces, formOf, headersOf } from "../../../src/core/webhook/payload.ts"
import { whole } from "../../support/whole.ts"

const formBody = (pairs: Parameters<typeof bodyInPieces>[0]) => whole(bodyInPieces(pairs))

describe("headers", () => {
  test("[W2] authorization, cookie and signature headers are removed", () => {
    const given: [string, string][] = [
      ["Authorization", "Bearer CANARY"],
      ["Proxy-Authorization", "CANARY"],
      ["Cookie", "CANARY"],
      ["X-Hub-Signature", "CANARY"],
      ["X-Hub-Signature-256", "CANARY"],
      ["Stripe-Signature", "CANARY"],
      ["X-Slack-Signature", "CANARY"],
      ["Webhook-Signature", "CANARY"],
      ["X-Shopify-Hmac-Sha256", "CANARY"],
      ["X-Gitlab-Token", "CANARY"],
      ["X-Api-Key", "CANARY"],
      ["__proto__", "CANARY"],
      ["X-GitHub-Event", "issues"],
      ["Content-Type", "application/json"],
    ]
    expect(headersOf(given, { kind: "github" })).toEqual({ "x-github-event": "issues", "content-type": "application/json" })
  })

  test("[W2] a hook's own header is removed too, whatever its name", () => {
    expect(
      headersOf(
        [
          ["X-Proof", "CANARY"],
          ["x-a", "1"],
        ],
        { kind: "hmac", header: "x-proof" },
      ),
    ).toEqual({ "x-a": "1" })
  })
})

describe("bodies", () => {
  test("[W2] a form becomes an object, with its payload parsed", () => {
    expect(
      formBody([
        ["payload", '{"a":[1]}'],
        ["x", "1"],
        ["x", "2"],
      ]),
    ).toEqual({ payload: { a: [1] }, x: ["1", "2"] })
    expect(formBody([["payload", "{no json"]])).toEqual({ payload: "{no json" })
    expect(
      formBody([
        ["payload", "1"],
        ["payload", "2"],
      ]),
    ).toEqual({ payload: ["1", "2"] })
  })

  test("[W2] no name can change a copy's prototype", () => {
    const fields = fieldsOf([
      ["__proto__", "x"],
      ["constructor", "y"],
    ])
    expect([Object.keys(fields), Object.getPrototypeOf(fields)]).toEqual([["constructor"], Object.prototype])
  })

  test.each([
    ["application/json; charset=utf-8", "json"],
    ["application/cloudevents+json", "json"],
    ["APPLICATION/JSON", "json"],
    ["application/x-www-form-urlencoded", "form"],
    ["text/plain", "text"],
    ["", "text"],
    [undefined, "text"],
  ])("[W2] %s is read as %s", (type, form) => {
    expect(formOf(type)).toBe(form)
  })
})

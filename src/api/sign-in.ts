// Declares sessions of people at the console [H13].

import { z } from "zod"
import { PAGE, type Routes } from "./route/route.ts"

/** A person's name is shown beside what was decided: nothing in it may hide. */
const PLAIN = /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]*$/u

export const SignInBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(100, "must have at most 100 characters")
    .regex(PLAIN, "must have no control or hidden characters")
    .exactOptional(),
})
/** The type of the request body for clients. */
export type SignInWish = z.input<typeof SignInBody>

export const signIn = {
  signIn: {
    method: "POST",
    path: "/v1/session",
    scope: "any",
    tag: "Keys",
    summary: "Sign a person in with a cookie instead of the key",
    description:
      "Send the key once, in `Authorization`. The answer sets the cookie `__Host-sluice` (HttpOnly, Secure, SameSite=Strict, Path=/; behind a dispatcher `__Host-sluice-NAME`; over plain HTTP in local development `sluice-PORT`, not Secure). It lasts 12 hours at most and ends with its key. A cookie opens the routes below /v1/ that name the scheme `session`, for pages of this origin: a request that changes something needs `Sec-Fetch-Site: same-origin` or this origin in `Origin`, which browsers send by themselves. Beside an `Authorization` header or a `token` it does not count. It opens no WebSocket.",
    body: SignInBody,
    optional: true,
    noKey: true,
    session: false,
    answers: { 201: { description: "Signed in.", body: "WhoAmI", headers: ["set-cookie"] } },
  },
  whoAmI: {
    method: "GET",
    path: "/v1/session",
    scope: "any",
    tag: "Keys",
    summary: "Read the caller and its rights",
    answers: { 200: { description: "The caller.", body: "WhoAmI" } },
  },
  signOut: {
    method: "DELETE",
    path: "/v1/session",
    scope: "any",
    tag: "Keys",
    summary: "End the session of this request",
    description: "Its streams end within 5 seconds. A caller with a key has no session: 404.",
    answers: { 204: { description: "Signed out; the cookie is removed.", headers: ["set-cookie"] } },
    problems: ["not_found"],
  },
  listSignIns: {
    method: "GET",
    path: "/v1/sign-ins",
    scope: "admin",
    tag: "Keys",
    summary: "List the open sessions of people, newest first",
    description:
      "The newest 1,000. People who come through Cloudflare Access have no session here: each of their requests is proven by Access.",
    query: PAGE,
    answers: { 200: { description: "All open sessions.", body: "SignInShown[]" } },
  },
  endSignIn: {
    method: "DELETE",
    path: "/v1/sign-ins/:sign_in",
    scope: "admin",
    tag: "Keys",
    summary: "End the session of a person",
    description: "Its streams end within 5 seconds. Its key stays valid: to keep its holder out, revoke the key.",
    answers: { 204: { description: "Ended." } },
  },
} as const satisfies Routes

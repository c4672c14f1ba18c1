// Keeps what the console knows of the server in one cache: a page that is come back to stands at once, and two places that want the same ask once. Each
// key begins with what it is about; the tenant's stream says that again, and everything of it is asked anew.

import { QueryClient } from "@tanstack/react-query"

/** `once`: nothing that happens changes it. */
export type Topic =
  | "runs"
  | "bulk"
  | "asks"
  | "answered"
  | "effects"
  | "failures"
  | "catalog"
  | "drafts"
  | "settings"
  | "run"
  | "scores"
  | "grading"
  | "experiments"
  | "once"

export type ServerKey = readonly [Topic, ...unknown[]]

/** What no page shows is kept for this long. */
const KEPT_MS = 3 * 60_000

export const serverState = new QueryClient({
  defaultOptions: {
    queries: {
      gcTime: KEPT_MS,
      staleTime: 0,
      // The client asks again by itself where the server says so.
      retry: false,
      // A server on this machine answers without a network.
      networkMode: "always",
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
})

// Where a tenant's own services stand [T22, T25]. Their keys are secrets, under the scope of the tool that uses them.

export interface SearchService {
  readonly provider: "brave" | "tavily" | "searxng"
  /** Of one's own instance; SearXNG has no other. */
  readonly baseUrl?: string
}

export interface Services {
  /** Absent: Brave's own API. */
  readonly search?: SearchService
  /** The cluster's API server. */
  readonly k8s?: { readonly url: string }
}

export interface ServicesPort {
  get(): Promise<Services>
  /** Replaces all of them. */
  put(services: Services): Promise<void>
}

// The addresses of a tenant's own services [T22, T25]. Their keys are secrets, in the scope of the tool that uses them.

export interface SearchService {
  readonly provider: "brave" | "tavily" | "searxng"
  /** The address of a self-hosted instance; required for SearXNG. */
  readonly baseUrl?: string
}

export interface Services {
  /** Absent: the Brave API. */
  readonly search?: SearchService
  /** The cluster's API server. */
  readonly k8s?: { readonly url: string }
}

export interface ServicesPort {
  get(): Promise<Services>
  /** Replaces all services. */
  put(services: Services): Promise<void>
}

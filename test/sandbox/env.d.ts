// The stand-in shows tests what runs in the sandboxes.

declare global {
  namespace Cloudflare {
    interface Env {
      readonly SANDBOX_HOST: Fetcher
    }
  }
}
export {}

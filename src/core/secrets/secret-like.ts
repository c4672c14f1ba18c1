// Detects text that looks like a secret but is not in the vault: keys of well-known services, private keys, signed tokens, keys of this
// instance, and addresses with a password.

const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\./,
  /\bsl_[a-z][a-z0-9-]{0,40}_(?:(?:eu|us)_)?[0-9A-Za-z]{16,}/,
  /\b(?:sk|pk|rk|whsec|ghp|gho|ghs|ghu|github_pat|xox[abeprs]|glpat|hf)[-_][A-Za-z0-9_-]{16,}/,
  /\b(?:AKIA|ASIA|AIza)[A-Za-z0-9_-]{16,}/,
  /\bwhsec_[A-Za-z0-9+/]{16,}/,
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:[^\s/@]{4,200}@/i,
  // Services whose address is all that a sender needs.
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9]{4,}\/[A-Za-z0-9/]{8,}/i,
  /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{5,}\/[A-Za-z0-9_-]{16,}/i,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/-]{16,}/i,
]

export const secretIn = (text: string): boolean => FORMS.some((form) => form.test(text))
